// What is refused: a destroyed mutex, clocks, deadlines where one would have to wait, ceilings of mutexes without one.
// gabion: verdict=verified
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;

static void ceilings(void) {
    pthread_mutex_t with;
    pthread_mutexattr_t attr;
    int ceiling = 0;
    assert(pthread_mutex_getprioceiling(&mutex, &ceiling) == EINVAL);
    assert(pthread_mutex_setprioceiling(&mutex, 3, &ceiling) == EINVAL);
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT);
    assert(pthread_mutex_init(&with, &attr) == 0);
    assert(pthread_mutex_getprioceiling(&with, &ceiling) == 0 && ceiling == 1);
    assert(pthread_mutex_destroy(&with) == 0);
}

static void *work(void *arg) {
    struct timespec bad = {0, 2000000000}, past = {1, 0};
    assert(pthread_mutex_timedlock(&held, &bad) == EINVAL);
    assert(pthread_mutex_clocklock(&held, CLOCK_BOOTTIME, &past) == EINVAL);
    assert(pthread_mutex_clocklock(&held, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    assert(pthread_mutex_clocklock(&mutex, CLOCK_BOOTTIME, &past) == EINVAL);
    assert(pthread_mutex_timedlock(&mutex, &bad) == 0); // there was no need to wait
    assert(pthread_mutex_unlock(&mutex) == 0);
    ceilings();
    assert(pthread_mutex_destroy(&mutex) == 0);
    assert(pthread_mutex_init(&mutex, 0) == 0);
    assert(pthread_mutex_lock(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_mutex_lock(&held);
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    pthread_mutex_unlock(&held);
    return 0;
}
