// After the barrier each sees what the other wrote before it.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int left, right;

static void *work(void *arg) {
    left = 1;
    pthread_barrier_wait(&barrier);
    assert(right == 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, work, NULL);
    right = 1;
    pthread_barrier_wait(&barrier);
    assert(left == 1);
    pthread_join(t, NULL);
    assert(pthread_barrier_destroy(&barrier) == 0);
    return 0;
}
