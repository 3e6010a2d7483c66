// Fails if the limit comes twice, and something happens after each time: this needs two rounds, each looked at in full.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int level;

static void *producer(void *arg) {
    for (int i = 1; i <= 2; i++) {
        pthread_mutex_lock(&mutex);
        level = i;
        pthread_cond_signal(&cond);
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    const struct timespec until = {1, 0};
    int late = 0, last = 0, steps = 0;
    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&mutex);
    while (level < 2) {
        int ended = pthread_cond_timedwait(&cond, &mutex, &until);
        if (level != last) {
            late += ended == ETIMEDOUT;
            last = level;
            steps++;
        }
    }
    pthread_mutex_unlock(&mutex);
    assert(!(late == 2 && steps == 2)); // HERE
    pthread_join(t, NULL);
    return 0;
}
