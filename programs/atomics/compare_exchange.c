// The twin: two tries of a compare-exchange suffice against one competitor.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *arg) {
    int seen = atomic_load(&x);
    if (!atomic_compare_exchange_strong(&x, &seen, seen + 1))
        assert(atomic_compare_exchange_strong(&x, &seen, seen + 1));
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
