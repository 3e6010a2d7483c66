// Three reads of different words of a block and its free: the free conflicts with each of them, they do not with each
// other. A reader that comes after the free ends the run, and main may have joined readers before that or not: with the
// readers that came in time {}: 3 runs, {0}: 4, {1}: 2, {2}: 2, {0,1}: 3, {0,2}: 2, {1,2}: 1, all: 1.
// gabion: verdict=bug kind=use-after-free runs=18 allocated=ALLOC freed=FREE
// gabion: args=--keep-going
#include <pthread.h>
#include <stdlib.h>

static long *block;

static void *reader(void *index) {
    return (void *)block[(long)index];
}

int main(void) {
    pthread_t t[3];
    block = calloc(3, sizeof *block); // ALLOC
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, reader, (void *)i);
    free(block); // FREE
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
