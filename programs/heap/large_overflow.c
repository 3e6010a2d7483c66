// A large block has its bounds too, and is gone when it is freed.
// gabion: verdict=bug kind=heap-overflow location=HERE allocated=ALLOC
#include <pthread.h>
#include <stdlib.h>

static volatile long last = 3 << 20;

static void *work(void *arg) {
    char *big = malloc(3 << 20); // ALLOC
    big[last - 1] = 1;
    big[0] = 1;
    big[last] = 1; // HERE
    free(big);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
