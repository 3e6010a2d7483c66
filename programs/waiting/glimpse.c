// The flag is up for a moment only, and a thread that waits already can be the one that sees it.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag, waiting, done;

static void *writer(void *arg) {
    if (atomic_load(&waiting)) {
        atomic_store(&flag, 1);
        atomic_store(&flag, 0);
    }
    atomic_store(&done, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    atomic_store(&waiting, 1);
    while (!atomic_load(&flag) && !atomic_load(&done))
        sched_yield();
    assert(atomic_load(&done)); // HERE
    pthread_join(t, NULL);
    return 0;
}
