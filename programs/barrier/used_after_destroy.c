// A thread comes to a barrier that may have been destroyed already.
// gabion: verdict=bug kind=lock-misuse message="was destroyed"
// gabion: native=no
#include <pthread.h>

static pthread_barrier_t barrier;

static void *work(void *arg) {
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_barrier_init(&barrier, 0, 1);
    pthread_create(&other, 0, work, 0);
    pthread_barrier_destroy(&barrier);
    pthread_join(other, 0);
    return 0;
}
