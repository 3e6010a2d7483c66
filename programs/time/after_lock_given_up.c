// Where a timed lock was given up the lock is free again after that time only.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int held;
static long long limit, after;
static int late;

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *other(void *unused) {
    while (!held)
        ;
    limit = now() + 2000000000LL;
    struct timespec until = { limit / 1000000000, limit % 1000000000 };
    late = pthread_mutex_timedlock(&mutex, &until);
    if (!late)
        pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    pthread_mutex_lock(&mutex);
    held = 1;
    pthread_mutex_unlock(&mutex);
    after = now();
    pthread_join(thread, NULL);
    assert(!late || limit <= after);
    return 0;
}
