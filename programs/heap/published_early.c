// A node is published before it is filled in.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) box;

static void *producer(void *arg) {
    int *node = calloc(1, sizeof *node);
    atomic_store(&box, node);
    *node = 4;
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
