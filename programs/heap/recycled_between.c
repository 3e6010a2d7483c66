// A block is freed and its memory used again at once. Who still knows it meets freed memory only in between.
// gabion: verdict=bug kind=use-after-free
// gabion: args=--recycle
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>

static int *shared, *other;
static int seen;

static void *reader(void *arg) {
    seen = *shared;
    return arg;
}

static void *writer(void *arg) {
    free(shared);
    other = malloc(sizeof *other);
    *other = 2;
    return arg;
}

int main(void) {
    shared = malloc(sizeof *shared);
    *shared = 1;
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(other);
    return seen < 1 || seen > 2;
}
