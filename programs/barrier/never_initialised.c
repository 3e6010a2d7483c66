// A barrier in zeroed memory divides by its count, which is zero.
// gabion: verdict=bug kind=lock-misuse message="never initialised" location=HERE
// gabion: compilers=gcc,clang native=no
#include <pthread.h>

static pthread_barrier_t barrier;

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    pthread_barrier_wait(&barrier); // HERE
    pthread_join(other, 0);
    return 0;
}
