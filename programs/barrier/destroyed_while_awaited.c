// A barrier is destroyed while a thread waits there for another: the C library waits for it to leave, without end.
// gabion: verdict=bug kind=lock-misuse message="a thread waits for" location=HERE
// gabion: native=no
#include <pthread.h>
#include <unistd.h>

static pthread_barrier_t barrier;

static void *work(void *arg) {
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&other, 0, work, 0);
    usleep(1);
    pthread_barrier_destroy(&barrier); // HERE
    return 0;
}
