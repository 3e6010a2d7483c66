// A mutex is destroyed while another thread may hold it: in one order only.
// gabion: verdict=bug kind=lock-misuse location=HERE locked=LOCK
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) {
    if (pthread_mutex_lock(&mutex) == 0) // LOCK
        pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_destroy(&mutex); // HERE
    pthread_join(t, NULL);
    return 0;
}
