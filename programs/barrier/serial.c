// Exactly one of three is the serial thread; the barrier serves two rounds.
// gabion: verdict=complete
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static atomic_int serial;

static void *work(void *arg) {
    for (int round = 0; round < 2; round++) {
        int r = pthread_barrier_wait(&barrier);
        assert(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
        if (r)
            atomic_fetch_add(&serial, 1);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    work(NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(serial == 2);
    return 0;
}
