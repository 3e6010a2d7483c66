// A thread creates a thread, and joins it.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *inner(void *arg) {
    atomic_fetch_add(&x, 1);
    return arg;
}

static void *outer(void *arg) {
    pthread_t t;
    pthread_create(&t, NULL, inner, NULL);
    pthread_join(t, NULL);
    atomic_fetch_add(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, outer, NULL);
    atomic_fetch_add(&x, 1);
    pthread_join(t, NULL);
    assert(x == 3);
    return 0;
}
