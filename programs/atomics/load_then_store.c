// Atomic load, atomic store, and in between another thread.
// gabion: verdict=bug kind=assertion runs=6
// gabion: args=--preempt atomic --keep-going --reduction none
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *arg) {
    int seen = atomic_load(&x);
    atomic_store(&x, seen + 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    int seen = atomic_load(&x);
    atomic_store(&x, seen + 1);
    pthread_join(t, NULL);
    assert(x == 2);
    return 0;
}
