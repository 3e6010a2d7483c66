// Two flags and no turn, looked at before they are set: both threads can be inside.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int wants[2], inside;

static void *work(void *arg) {
    int me = arg != NULL, other = 1 - me;
    while (atomic_load(&wants[other]))
        sched_yield();
    atomic_store(&wants[me], 1);
    assert(atomic_fetch_add(&inside, 1) == 0); // HERE
    atomic_fetch_sub(&inside, 1);
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
