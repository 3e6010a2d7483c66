// Spins below a large frame: more stack than is kept, so that the loop is recognised later.
// gabion: verdict=complete
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int flag;

static void *writer(void *arg) {
    atomic_store(&flag, 1);
    return arg;
}

__attribute__((noinline)) static void wait_for(atomic_int *f) {
    while (!atomic_load(f))
        sched_yield();
}

int main(void) {
    char large[10000];
    pthread_t t;
    memset(large, 7, sizeof large);
    pthread_create(&t, NULL, writer, NULL);
    wait_for(&flag);
    assert(large[5000] == 7);
    pthread_join(t, NULL);
    return 0;
}
