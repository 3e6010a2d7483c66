// Each: an atomic operation, then a critical section with a point inside, which the other cannot enter. If mine comes
// first, the other's first operation has 4 places: 2 * 4 = 8.
// gabion: verdict=complete runs=8
// gabion: args=--preempt sync --reduction none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x;

static void *work(void *arg) {
    atomic_fetch_add(&x, 1);
    pthread_mutex_lock(&mutex);
    atomic_fetch_add(&x, 1);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
