// Allocated before there were threads, freed by one, used by main afterwards.
// gabion: verdict=bug kind=use-after-free location=HERE allocated=ALLOC freed=FREE
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>

static int *block;

static int *allocate(void) {
    return calloc(4, sizeof(int)); // ALLOC
}

static void *work(void *arg) {
    free(block); // FREE
    return arg;
}

int main(void) {
    pthread_t t;
    block = allocate();
    block[3] = 1;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return block[3]; // HERE
}
