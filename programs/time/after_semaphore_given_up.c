// Where a timed wait was given up the semaphore is posted after that time only.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t semaphore;
static long long limit, after;
static int late;

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *other(void *unused) {
    limit = now() + 2000000000LL;
    struct timespec until = { limit / 1000000000, limit % 1000000000 };
    late = sem_timedwait(&semaphore, &until);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, NULL, other, NULL);
    sem_post(&semaphore);
    after = now();
    pthread_join(thread, NULL);
    assert(!late || limit <= after);
    return 0;
}
