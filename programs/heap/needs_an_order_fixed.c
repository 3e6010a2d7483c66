// The twin of needs_an_order: the entry is used under the lock, and dropped under it.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>

static int *entry;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg) {
    int *new = malloc(sizeof *new);
    *new = 2;
    pthread_mutex_lock(&lock);
    free(entry);
    entry = new;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    entry = malloc(sizeof *entry);
    *entry = 1;
    pthread_create(&t, NULL, writer, NULL);
    pthread_mutex_lock(&lock);
    int value = *entry;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    free(entry);
    return value > 2;
}
