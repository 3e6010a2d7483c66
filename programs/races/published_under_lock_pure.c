// Figure 1 of the report on iterative deepening: a block is published under a lock.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
// gabion: args=--hb pure
#include <pthread.h>
#include <stdlib.h>

static struct { int foo; } *shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *giver(void *arg) {
    __typeof__(shared) mine = malloc(sizeof *mine);
    mine->foo = 1;
    pthread_mutex_lock(&m);
    shared = mine;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *taker(void *arg) {
    pthread_mutex_lock(&m);
    __typeof__(shared) mine = shared;
    pthread_mutex_unlock(&m);
    if (mine != NULL)
        mine->foo = 2;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, giver, NULL);
    pthread_create(&b, NULL, taker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
