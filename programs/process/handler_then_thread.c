// A thread that nobody joins may still run after the last exit handler, until the process is gone.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int closed;

static void shut(void) {
    closed = 1;
}

static void *work(void *arg) {
    assert(!closed); // HERE
    return arg;
}

int main(void) {
    atexit(shut);
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    return 0;
}
