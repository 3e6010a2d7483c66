// The memory is a mutex's, and is used as a barrier.
// gabion: verdict=bug kind=lock-misuse message="never initialised" location=HERE
// gabion: native=no
#include <pthread.h>

static union {
    pthread_mutex_t mutex;
    pthread_barrier_t barrier;
} both = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void *work(void *arg) {
    pthread_mutex_lock(&both.mutex);
    pthread_mutex_unlock(&both.mutex);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    pthread_barrier_wait(&both.barrier); // HERE
    pthread_join(other, 0);
    return 0;
}
