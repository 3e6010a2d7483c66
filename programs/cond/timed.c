// A timed wait ends by a signal or by its deadline; both are handled, and the deadline is then really past.
// gabion: verdict=complete
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <assert.h>
#include <errno.h>
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
    struct timespec until, now;
    int r = 0;
    pthread_create(&t, NULL, producer, NULL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    pthread_mutex_lock(&mutex);
    while (!ready && r == 0)
        r = pthread_cond_timedwait(&cond, &mutex, &until);
    assert(r == 0 || r == ETIMEDOUT);
    assert(r == ETIMEDOUT || ready);
    pthread_mutex_unlock(&mutex);
    if (r == ETIMEDOUT) {
        clock_gettime(CLOCK_REALTIME, &now);
        assert(now.tv_sec > until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
    }
    pthread_join(t, NULL);
    return 0;
}
