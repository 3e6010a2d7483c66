// A lock that is looked at before it is tried.
// gabion: verdict=complete
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;
static int x;

static void *work(void *arg) {
    do {
        while (atomic_load(&lock))
            ;
    } while (atomic_exchange(&lock, 1));
    x++;
    atomic_store(&lock, 0);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(x == 2);
    return 0;
}
