// A barrier may be destroyed and set up anew as soon as one thread has left it; the others leave all the same.
// gabion: verdict=verified
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>

static pthread_barrier_t barrier;

static void *work(void *arg) {
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void) {
    pthread_t other;
    assert(pthread_barrier_init(&barrier, 0, 0) == EINVAL);
    assert(pthread_barrier_init(&barrier, 0, UINT_MAX) == EINVAL);
    assert(pthread_barrier_init(&barrier, 0, 2) == 0);
    pthread_create(&other, 0, work, 0);
    pthread_barrier_wait(&barrier);
    assert(pthread_barrier_destroy(&barrier) == 0);
    assert(pthread_barrier_init(&barrier, 0, 2) == 0);
    pthread_join(other, 0);
    return 0;
}
