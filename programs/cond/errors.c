// Waits that are refused: the mutex is another's; the clock or the deadline is not valid.
// gabion: verdict=verified
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *work(void *arg) {
    struct timespec bad = {0, 2000000000}, past = {1, 0};
    assert(pthread_cond_wait(&cond, &checked) == EPERM);
    assert(pthread_cond_wait(&cond, &recursive) == EPERM);
    assert(pthread_cond_timedwait(&cond, &checked, &past) == EPERM);
    pthread_mutex_lock(&plain);
    assert(pthread_cond_timedwait(&cond, &plain, &bad) == EINVAL);
    assert(pthread_cond_clockwait(&cond, &plain, CLOCK_BOOTTIME, &past) == EINVAL);
    assert(pthread_cond_clockwait(&cond, &plain, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    assert(pthread_mutex_trylock(&plain) == EBUSY);
    pthread_mutex_unlock(&plain);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_mutex_lock(&checked);
    pthread_mutex_lock(&recursive);
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    assert(pthread_mutex_unlock(&checked) == 0);
    assert(pthread_mutex_unlock(&recursive) == 0);
    return 0;
}
