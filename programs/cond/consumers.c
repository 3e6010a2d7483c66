// The twin of stolen_wakeup, with the loop.
// gabion: verdict=complete
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int items, closed;

static void *consume(void *arg) {
    pthread_mutex_lock(&mutex);
    while (items == 0 && !closed)
        pthread_cond_wait(&cond, &mutex);
    if (!closed) {
        assert(items > 0);
        items--;
    }
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, consume, NULL);
    pthread_create(&b, NULL, consume, NULL);
    pthread_mutex_lock(&mutex);
    items++;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    closed = 1;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
