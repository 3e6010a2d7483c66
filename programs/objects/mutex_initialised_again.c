// A mutex is initialised again while one thread holds it and another waits for it.
// gabion: verdict=bug kind=lock-misuse message="initialised again while a thread waits" location=HERE
// gabion: native=no
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, take, NULL);
    pthread_mutex_init(&m, NULL); // HERE
    pthread_join(t, NULL);
    return 0;
}
