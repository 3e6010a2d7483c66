// The twin of copy.c, under a lock; a large struct is copied by the compiler's own call of memcpy.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

struct large {
    int number[40];
};
static struct large shared;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) {
    struct large ones = {{1, 1}};
    pthread_mutex_lock(&mutex);
    shared = ones;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    struct large copy = shared;
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    assert(copy.number[0] == copy.number[1]);
    return 0;
}
