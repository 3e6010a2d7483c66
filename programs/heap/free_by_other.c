// A block is allocated by one thread and freed by another.
// gabion: verdict=complete
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) box;

static void *producer(void *arg) {
    int *block = malloc(sizeof *block);
    *block = 11;
    atomic_store(&box, block);
    int *second = malloc(sizeof *second);
    assert(second != block);
    free(second);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    int *block = atomic_exchange(&box, NULL);
    if (block) {
        assert(*block == 11);
        free(block);
    }
    pthread_join(t, NULL);
    free(atomic_load(&box));
    return 0;
}
