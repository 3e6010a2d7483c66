// Data first, then the flag: a reader that sees the flag sees the data (sequentially consistent memory).
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int ready;

static void *writer(void *arg) {
    data = 42;
    atomic_store(&ready, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    if (atomic_load(&ready))
        assert(data == 42);
    pthread_join(t, NULL);
    return 0;
}
