// A reader that tries again while a writer is at work or has been.
// gabion: verdict=complete
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int a, b;

static void *writer(void *arg) {
    atomic_fetch_add(&sequence, 1);
    atomic_store(&a, 1);
    atomic_store(&b, 1);
    atomic_fetch_add(&sequence, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    unsigned before;
    int x, y;
    pthread_create(&t, NULL, writer, NULL);
    do {
        while ((before = atomic_load(&sequence)) & 1)
            ;
        x = atomic_load(&a);
        y = atomic_load(&b);
    } while (atomic_load(&sequence) != before);
    assert(x == y);
    pthread_join(t, NULL);
    return 0;
}
