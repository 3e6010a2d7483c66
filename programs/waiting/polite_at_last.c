// As polite.c, but one of the two gives up in the end: no livelock, however long they give way to each other.
// gabion: verdict=partial
// gabion: compilers=gcc,clang
// gabion: args=--budget-runs 2000
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int wants[2];

static void *work(void *arg) {
    int me = arg != NULL, other = 1 - me;
    for (int times = 0; me || times < 3; times++) {
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
