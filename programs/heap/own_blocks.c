// Each thread allocates, uses and frees its own block.
// gabion: verdict=complete
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int total;

static void *work(void *arg) {
    int *block = malloc(4 * sizeof *block);
    assert(block);
    for (int i = 0; i < 4; i++)
        block[i] = i;
    atomic_fetch_add(&total, block[3]);
    free(block);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(total == 6);
    return 0;
}
