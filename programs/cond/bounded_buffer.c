// A buffer of one, one producer, one consumer, two items, one condition variable each way.
// gabion: verdict=complete
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static int slot, used;

static void *producer(void *arg) {
    for (int i = 1; i <= 2; i++) {
        pthread_mutex_lock(&mutex);
        while (used)
            pthread_cond_wait(&empty, &mutex);
        slot = i;
        used = 1;
        pthread_cond_signal(&full);
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    for (int i = 1; i <= 2; i++) {
        pthread_mutex_lock(&mutex);
        while (!used)
            pthread_cond_wait(&full, &mutex);
        assert(slot == i);
        used = 0;
        pthread_cond_signal(&empty);
        pthread_mutex_unlock(&mutex);
    }
    pthread_join(t, NULL);
    return 0;
}
