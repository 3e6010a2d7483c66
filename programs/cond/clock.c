// A condition variable on the monotonic clock, and pthread_cond_clockwait.
// gabion: verdict=complete
// gabion: args=--preempt sync
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_cond_t cond;
    pthread_condattr_t attr;
    clockid_t clock = -1;
    struct timespec until, now;
    pthread_condattr_init(&attr);
    assert(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
    assert(pthread_condattr_getclock(&attr, &clock) == 0 && clock == CLOCK_MONOTONIC);
    assert(pthread_cond_init(&cond, &attr) == 0);
    pthread_condattr_destroy(&attr);

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 1;
    pthread_mutex_lock(&mutex);
    assert(pthread_cond_timedwait(&cond, &mutex, &until) == ETIMEDOUT);
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert(now.tv_sec >= until.tv_sec);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec = 0;
    assert(pthread_cond_clockwait(&cond, &mutex, CLOCK_REALTIME, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    assert(pthread_cond_destroy(&cond) == 0);
    return 0;
}
