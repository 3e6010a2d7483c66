// A thread returns early, and never unlocks.
// says: T1 (early) locked it at ended_holder.c:13 and ended while it held it
// never: circle
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop;
static int count;

static void *early(void *u) {
    int stopped = atomic_load(&stop);
    pthread_mutex_lock(&m);
    if (stopped)
        return u;
    count++;
    pthread_mutex_unlock(&m);
    return u;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, early, 0);
    atomic_store(&stop, 1);
    pthread_join(t, 0);
    pthread_mutex_lock(&m);
    count++;
    pthread_mutex_unlock(&m);
}
