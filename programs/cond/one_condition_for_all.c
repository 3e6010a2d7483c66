// Two producers and a consumer share one condition variable and use signal: the wrong one can be woken.
// gabion: verdict=bug kind=deadlock
// gabion: args=--preempt sync
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int used = 1;

static void *put(void *arg) {
    pthread_mutex_lock(&mutex);
    while (used)
        pthread_cond_wait(&cond, &mutex);
    used = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *take(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        while (!used)
            pthread_cond_wait(&cond, &mutex);
        used = 0;
        pthread_cond_signal(&cond);
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, put, NULL);
    pthread_create(&b, NULL, put, NULL);
    take(NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
