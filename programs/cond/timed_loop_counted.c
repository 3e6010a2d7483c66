// A loop that gives up after more limits than are looked at one by one: it is still left through its counter.
// gabion: verdict=bug kind=assertion location=HERE
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
    const struct timespec until = {1, 0};
    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 50 && !ready; i++)
        pthread_cond_timedwait(&cond, &mutex, &until);
    assert(ready); // HERE
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
