// Try-lock: whoever does not get it leaves the counter alone.
// gabion: verdict=complete
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int inside, entered;

static void *work(void *arg) {
    int r = pthread_mutex_trylock(&mutex);
    assert(r == 0 || r == EBUSY);
    if (r == 0) {
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_add(&entered, 1);
        atomic_fetch_sub(&inside, 1);
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(entered >= 1);
    return 0;
}
