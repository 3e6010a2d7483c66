// Threads that work until some time has come, as stress tests do: they are over after some rounds.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: args=--max-runs 20000
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <time.h>

static volatile int counter;
static int expected[2];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *work(void *mine) {
    double end = now() + 0.1;
    while (now() < end) {
        counter = counter + 1;
        ++*(int *)mine;
    }
    return mine;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, work, &expected[0]);
    work(&expected[1]);
    pthread_join(a, NULL);
    assert(counter == expected[0] + expected[1]); // HERE
    return 0;
}
