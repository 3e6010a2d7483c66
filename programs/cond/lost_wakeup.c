// The predicate is set and signalled without the mutex: the signal can fall between the test and the wait.
// gabion: verdict=bug kind=deadlock
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *producer(void *arg) {
    atomic_store(&ready, 1);
    pthread_cond_signal(&cond);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&mutex);
    while (!atomic_load(&ready))
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
