// As long as nobody changes it, they do not depend on each other.
// gabion: verdict=verified runs=1
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static void *draw(void *arg) {
    unsigned short own[3] = {1, 2, 3};
    erand48(own);
    nrand48(own);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, draw, NULL);
    draw(NULL);
    pthread_join(t, NULL);
    return 0;
}
