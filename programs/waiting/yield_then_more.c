// A flag with yield, and a store after it: the waiting thread cannot go on where the reversal of a race would have it.
// gabion: verdict=verified runs=2
// gabion: args=--cflags -O1
// gabion: compilers=gcc
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag, other;

static void *work(void *arg) {
    atomic_store(&flag, 1);
    atomic_store(&other, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    while (!atomic_load(&flag))
        sched_yield();
    pthread_join(t, NULL);
    return other != 1;
}
