// A new limit in every round: no two rounds are alike, so that it waits is an assumption.
// gabion: verdict=complete caveat=assumed-wait
// gabion: args=--assume-waits
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *producer(void *arg) {
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&mutex);
    while (!ready) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1;
        pthread_cond_timedwait(&cond, &mutex, &until);
    }
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
