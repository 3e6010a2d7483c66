// A timed lock takes a free mutex and times out on a held one; with both answers handled all is well.
// gabion: verdict=complete
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int inside;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec until;
    pthread_create(&t, NULL, work, NULL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    int r = pthread_mutex_timedlock(&mutex, &until);
    assert(r == 0 || r == ETIMEDOUT);
    if (r == 0) {
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        pthread_mutex_unlock(&mutex);
    }
    pthread_join(t, NULL);
    clock_gettime(CLOCK_MONOTONIC, &until);
    assert(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until) == 0);
    return 0;
}
