// Random numbers are made in memory that the program gave.
// gabion: verdict=bug kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int state[32];

static int sum(void) {
    int s = 0;
    for (int i = 0; i < 32; i++) s = s * 31 + state[i];
    return s;
}

static void *draw(void *arg) {
    random();
    return arg;
}

int main(void) {
    pthread_t t;
    initstate(5, (char *)state, sizeof state);
    pthread_create(&t, NULL, draw, NULL);
    int first = sum(), second = sum();
    pthread_join(t, NULL);
    assert(first == second);
    return 0;
}
