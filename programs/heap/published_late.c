// The twin of published_early.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) box;

static void *producer(void *arg) {
    int *node = calloc(1, sizeof *node);
    *node = 4;
    atomic_store(&box, node);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    int *node = atomic_load(&box);
    if (node)
        assert(*node == 4);
    pthread_join(t, NULL);
    return 0;
}
