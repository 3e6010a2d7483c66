// Two threads that give way to each other: each takes its wish back when it sees the other's. In step, they do so for
// ever. Dekker's turn is what is missing. They go round 98 times; then this run leaves the circle, and ends: a search in depth
// chooses another thread first where it came last, so the first run whose thousand steps are looked at is one that left.
// gabion: verdict=bug kind=livelock message=repeat
// gabion: compilers=gcc,clang
// gabion: args=--budget-runs 5000
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int wants[2];

static void *work(void *arg) {
    int me = arg != NULL, other = 1 - me;
    for (;;) {
        atomic_store(&wants[me], 1);
        sched_yield();
        if (!atomic_load(&wants[other]))
            break;
        atomic_store(&wants[me], 0);
        sched_yield();
    }
    atomic_store(&wants[me], 0);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, &t);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
