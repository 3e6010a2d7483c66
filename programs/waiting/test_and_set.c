// A lock of one exchange. While it is held an exchange changes nothing, so who spins on it only waits.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;
static int x;

static void *work(void *arg) {
    while (atomic_exchange(&lock, 1))
        ;
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
