// The list of the environment is a variable of the program's too.
// gabion: verdict=bug kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static char *mine[] = {"A_=1", 0}, *other[] = {"Z=1", 0};

static void *replace(void *arg) {
    environ = other;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, replace, NULL);
    environ = mine;
    char *found = getenv("A_");
    pthread_join(t, NULL);
    assert(found);
    return 0;
}
