// Code without instrumentation writes past a block: it is seen when the block is freed.
// gabion: verdict=bug kind=heap-overflow location=HERE allocated=ALLOC message=overflow
#include <pthread.h>
#include <stdlib.h>

__attribute__((noinline, no_sanitize("thread"))) static void scribble(volatile char *p) {
    p[24] = 1;
}

static void *work(void *arg) {
    char *p = malloc(24); // ALLOC
    scribble(p);
    free(p); // HERE
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
