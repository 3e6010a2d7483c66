// The order in which threads register exit handlers is the order of their calls.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int first;

static void one(void) {
    if (!first)
        first = 1;
}

static void two(void) {
    if (!first)
        first = 2;
    assert(first == 2);
}

static void *work(void *argument) {
    (void)argument;
    atexit(one);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    atexit(two);
    pthread_join(thread, 0);
    return 0;
}
