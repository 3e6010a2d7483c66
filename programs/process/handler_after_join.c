// A thread that is joined does not see what exit handlers do.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int closed;

static void shut(void) {
    closed = 1;
}

static void *work(void *arg) {
    assert(!closed);
    return arg;
}

int main(void) {
    atexit(shut);
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
