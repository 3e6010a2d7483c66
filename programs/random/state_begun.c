// That memory is filled in first.
// gabion: verdict=bug kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static volatile int state[32];

static void *begin(void *arg) {
    initstate(5, (char *)state, sizeof state);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, begin, NULL);
    int first = state[0], second = state[0];
    pthread_join(t, NULL);
    assert(first == second);
    return 0;
}
