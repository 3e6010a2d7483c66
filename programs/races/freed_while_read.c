// A block is freed while another thread may read it.
// gabion: verdict=bug kind=use-after-free races=A-B
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>

static int *block;
int got;

static void *work(void *arg) {
    got = *block; // @A
    return arg;
}

int main(void) {
    pthread_t other;
    block = calloc(1, sizeof *block);
    pthread_create(&other, NULL, work, NULL);
    free(block); // @B
    pthread_join(other, NULL);
    return 0;
}
