// pthread_tryjoin_np says EBUSY while the thread runs; both answers are possible at the first try.
// gabion: verdict=verified
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *arg) {
    atomic_fetch_add(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    void *value;
    pthread_create(&t, NULL, work, &x);
    int first = pthread_tryjoin_np(t, &value);
    assert(first == 0 || first == EBUSY);
    if (first == EBUSY)
        assert(pthread_join(t, &value) == 0);
    assert(value == &x && x == 1);
    return 0;
}
