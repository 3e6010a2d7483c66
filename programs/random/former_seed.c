// The former seed is in static memory.
// gabion: verdict=bug kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static unsigned short one[3] = {1, 2, 3}, other[3] = {4, 5, 6};

static void *seed(void *arg) {
    seed48(other);
    return arg;
}

int main(void) {
    pthread_t t;
    unsigned short *volatile former = seed48(one);
    pthread_create(&t, NULL, seed, NULL);
    unsigned short first = former[1], second = former[1];
    pthread_join(t, NULL);
    assert(first == second);
    return 0;
}
