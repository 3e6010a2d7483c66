// The thread that completes the round frees the barrier without having destroyed it, while the other may still be leaving it.
// gabion: verdict=bug kind=use-after-free freed=FREE
// gabion: native=no
#include <pthread.h>
#include <stdlib.h>

static void *meet(void *barrier) {
    if (pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        free(barrier); // FREE
    return NULL;
}

int main(void) {
    pthread_barrier_t *barrier = malloc(sizeof *barrier);
    pthread_barrier_init(barrier, NULL, 2);
    pthread_t t;
    pthread_create(&t, NULL, meet, barrier);
    meet(barrier);
    pthread_join(t, NULL);
    return 0;
}
