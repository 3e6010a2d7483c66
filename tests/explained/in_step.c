// Two threads that give way to each other for ever: the heading has a thread, and a line that this thread is at.
// heads: in work, thread T0 (main)
// heads: called from in_step.c:29 in main
// says: steps repeat: T0 (main) atomic store wants
// gabion: --budget 10s
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
