// What is put into a list that another thread replaces is gone.
// gabion: verdict=bug kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static char *other[] = {"Z=1", 0};

static void *replace(void *arg) {
    environ = other;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, replace, NULL);
    putenv("A_=1");
    char *found = getenv("A_");
    pthread_join(t, NULL);
    assert(found);
    return 0;
}
