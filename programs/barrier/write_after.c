// The twin of phases: one write comes after the barrier.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int left;

static void *work(void *arg) {
    pthread_barrier_wait(&barrier);
    left = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, work, NULL);
    pthread_barrier_wait(&barrier);
    assert(left == 1); // HERE
    pthread_join(t, NULL);
    return 0;
}
