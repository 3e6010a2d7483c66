// A block is freed after its reader has ended.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>

static int *block;
int got;

static void *work(void *arg) {
    got = *block;
    return arg;
}

int main(void) {
    pthread_t other;
    block = calloc(1, sizeof *block);
    pthread_create(&other, NULL, work, NULL);
    pthread_join(other, NULL);
    free(block);
    return 0;
}
