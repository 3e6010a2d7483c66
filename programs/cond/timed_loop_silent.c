// Nobody signals; the time limit alone lets the waiter see what has changed, and back.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int level;

static void *producer(void *arg) {
    for (int i = 1; i <= 2; i++) {
        pthread_mutex_lock(&mutex);
        level = i;
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    const struct timespec until = {1, 0};
    int seen = 0;
    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&mutex);
    while (level == 0)
        pthread_cond_timedwait(&cond, &mutex, &until);
    seen = level;
    while (level == seen && seen < 2)
        pthread_cond_timedwait(&cond, &mutex, &until);
    pthread_mutex_unlock(&mutex);
    assert(seen == 2); // HERE
    pthread_join(t, NULL);
    return 0;
}
