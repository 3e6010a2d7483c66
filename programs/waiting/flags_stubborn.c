// Two flags and no turn, set before they are looked at: both threads can wait for each other for ever.
// gabion: verdict=bug kind=livelock location=HERE message=wants
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int wants[2];

static void *work(void *arg) {
    int me = arg != NULL, other = 1 - me;
    atomic_store(&wants[me], 1);
    while (atomic_load(&wants[other])) // HERE
        sched_yield();
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
