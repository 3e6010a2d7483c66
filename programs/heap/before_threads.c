// An error before the first thread is created.
// gabion: verdict=bug kind=use-after-free location=HERE allocated=ALLOC freed=FREE
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t t;
    int *block = malloc(sizeof *block); // ALLOC
    *block = 1;
    free(block); // FREE
    int *volatile stale = block;
    *stale = 2; // HERE
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
