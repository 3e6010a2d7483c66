// Two threads take the same block from a list without a lock, and both free it.
// gabion: verdict=bug kind=double-free location=HERE allocated=ALLOC freed=HERE
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>

static int *item;

static void *take(void *arg) {
    int *mine = item;
    item = NULL;
    free(mine); // HERE
    return arg;
}

int main(void) {
    pthread_t t;
    item = malloc(sizeof *item); // ALLOC
    pthread_create(&t, NULL, take, NULL);
    take(NULL);
    pthread_join(t, NULL);
    return 0;
}
