// The twin of timedlock: a second must be enough, it thinks.
// gabion: verdict=bug kind=assertion
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    atomic_fetch_add(&x, 1);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec until;
    pthread_create(&t, NULL, work, NULL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    assert(pthread_mutex_timedlock(&mutex, &until) == 0);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
