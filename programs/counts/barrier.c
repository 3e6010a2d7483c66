// One operation before and one after a barrier of two. Whoever comes last goes on in the same step, the other's way
// out is a step: 2 * C(3,1) * C(3,1) = 18.
// gabion: verdict=complete runs=18
// gabion: args=--preempt sync --reduction none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static atomic_int x;

static void *work(void *arg) {
    atomic_fetch_add(&x, 1);
    pthread_barrier_wait(&barrier);
    atomic_fetch_add(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
