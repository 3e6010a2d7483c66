// What is freed lies inside a block.
// gabion: verdict=bug kind=bad-free location=HERE allocated=ALLOC message=16
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    char *p = malloc(64); // ALLOC
    free(p + 16);         // HERE
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
