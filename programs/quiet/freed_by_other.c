// A thread uses a block of its own, quietly, while main frees it without waiting.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *block;

static void *work(void *arg) {
    block[0] = 1;
    block[1] = 2;
    return arg;
}

int main(void) {
    block = malloc(2 * sizeof *block);
    block[0] = block[1] = 7;
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    free(block);
    pthread_join(t, NULL);
    assert(block[1] == 7); // undefined, and here only to be seen: freed blocks keep their contents but for the first word
    return 0;
}
