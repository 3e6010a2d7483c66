// realloc always moves: a pointer to the old place is stale, also where the block would have had room.
// gabion: verdict=bug kind=use-after-free location=HERE allocated=ALLOC freed=FREE
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    long *list = malloc(4 * sizeof *list); // ALLOC
    long *first = &list[0];
    list = realloc(list, 3 * sizeof *list); // FREE
    *first = 1;                             // HERE
    free(list);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
