// A block is filled and then published by a release store, as RCU does.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    int value;
};

int got;
static _Atomic(struct config *) current;

static void *updater(void *arg) {
    struct config *new = malloc(sizeof *new);
    new->value = 7;
    atomic_store_explicit(&current, new, memory_order_release);
    return arg;
}

static void reader(void) {
    struct config *seen = atomic_load_explicit(&current, memory_order_acquire);
    if (seen)
        got = seen->value;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, updater, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
