// A cache entry is dropped by the writer between a reader's look-up and its use. Only one of many orders shows it.
// gabion: verdict=bug kind=use-after-free location=HERE allocated=ALLOC freed=FREE
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) entry;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg) {
    int *new = malloc(sizeof *new);
    *new = 2;
    pthread_mutex_lock(&lock);
    int *old = atomic_exchange(&entry, new);
    pthread_mutex_unlock(&lock);
    free(old); // FREE
    return arg;
}

int main(void) {
    pthread_t t;
    int *first = malloc(sizeof *first); // ALLOC
    *first = 1;
    atomic_store(&entry, first);
    pthread_create(&t, NULL, writer, NULL);
    pthread_mutex_lock(&lock);
    int *mine = atomic_load(&entry);
    pthread_mutex_unlock(&lock);
    int value = *mine; // HERE
    pthread_join(t, NULL);
    free(atomic_load(&entry));
    return value > 2;
}
