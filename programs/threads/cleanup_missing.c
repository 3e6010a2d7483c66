// Its twin: nobody gives the mutex back.
// gabion: verdict=bug kind=deadlock native=no
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    pthread_exit(0);
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    pthread_mutex_lock(&mutex);
    return 0;
}
