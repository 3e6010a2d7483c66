// The twin of memcpy.c, under a lock.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char shared[8] = "aaaaaaa";

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    memcpy(shared, "bbbbbbb", 8);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    char copy[8];
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    char before = shared[0];
    memcpy(copy, shared, 8);
    pthread_mutex_unlock(&mutex);
    assert(copy[0] == before);
    pthread_join(t, NULL);
    return 0;
}
