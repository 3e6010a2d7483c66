// The twin of timed: a time-out is not expected.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <assert.h>
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
    struct timespec until;
    pthread_create(&t, NULL, producer, NULL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    pthread_mutex_lock(&mutex);
    if (!ready)
        pthread_cond_timedwait(&cond, &mutex, &until);
    assert(ready); // HERE
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
