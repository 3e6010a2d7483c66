// A thread uses a block of its own, quietly, while main frees it without waiting.
// gabion: verdict=bug kind=use-after-free allocated=ALLOC freed=FREE
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>

static int *block;

static void *work(void *arg) {
    block[0] = 1;
    block[1] = 2;
    return arg;
}

int main(void) {
    block = malloc(2 * sizeof *block); // ALLOC
    block[0] = block[1] = 7;
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    free(block); // FREE
    pthread_join(t, NULL);
    return 0;
}
