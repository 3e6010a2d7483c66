// A condition variable is destroyed while a thread may wait on it.
// gabion: verdict=bug kind=lock-misuse location=HERE
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_destroy(&cond); // HERE
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
