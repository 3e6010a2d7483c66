// So are its entries.
// gabion: verdict=bug kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static char *mine[] = {"A_=1", 0};

static void *change(void *arg) {
    mine[0] = "A_=2";
    return arg;
}

int main(void) {
    pthread_t t;
    environ = mine;
    pthread_create(&t, NULL, change, NULL);
    char *first = getenv("A_"), *second = getenv("A_");
    pthread_join(t, NULL);
    assert(first == second);
    return 0;
}
