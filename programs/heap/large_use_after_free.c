// As large_overflow: the block was freed.
// gabion: verdict=bug kind=use-after-free location=HERE allocated=ALLOC freed=FREE
#include <pthread.h>
#include <stdlib.h>

static volatile long middle = 2 << 20;

static void *work(void *arg) {
    char *big = malloc(3 << 20); // ALLOC
    big[middle] = 1;
    free(big); // FREE
    char *volatile stale = big;
    stale[middle] = 1; // HERE
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
