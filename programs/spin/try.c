// Spin try-lock: EBUSY while held.
// gabion: verdict=complete
// gabion: args=--preempt sync
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_spinlock_t lock;
static atomic_int inside;

static void *work(void *arg) {
    int r = pthread_spin_trylock(&lock);
    assert(r == 0 || r == EBUSY);
    if (r == 0) {
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        pthread_spin_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_spin_init(&lock, 0);
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
