// As unseen_write_after, seen at realloc.
// gabion: verdict=bug kind=heap-overflow location=HERE allocated=ALLOC
#include <pthread.h>
#include <stdlib.h>

__attribute__((noinline, no_sanitize("thread"))) static void scribble(volatile char *p) {
    p[25] = 1;
}

static void *work(void *arg) {
    char *p = malloc(24); // ALLOC
    scribble(p);
    p = realloc(p, 48); // HERE
    free(p);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
