// A thread ends the process while main holds a lock that others wait for.
// gabion: verdict=complete|verified
// gabion: args=--preempt sync
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t never;

static void *waits(void *arg) {
    pthread_mutex_lock(&mutex);
    return arg;
}

static void *ends(void *arg) {
    exit(0);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&never, NULL, 2);
    pthread_mutex_lock(&mutex);
    pthread_create(&a, NULL, waits, NULL);
    pthread_create(&b, NULL, ends, NULL);
    pthread_barrier_wait(&never);
    return 1;
}
