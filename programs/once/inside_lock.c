// The once function waits for a lock whose holder waits for the once.
// gabion: verdict=bug kind=deadlock
// gabion: args=--preempt sync
#define _GNU_SOURCE
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void init(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void *work(void *arg) {
    pthread_once(&once, init);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    pthread_once(&once, init);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
