// A barrier is assigned to after a thread may have come to it: both would wait for ever.
// gabion: verdict=bug kind=lock-misuse message="written over while a thread waits"
#include <pthread.h>

static pthread_barrier_t barrier;

static void *arrive(void *arg) {
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_barrier_t fresh = barrier;
    pthread_create(&t, NULL, arrive, NULL);
    barrier = fresh;
    arrive(NULL);
    pthread_join(t, NULL);
    return 0;
}
