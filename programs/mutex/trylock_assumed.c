// Try-lock on a mutex that "cannot" be held at that moment.
// gabion: verdict=bug kind=assertion
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    atomic_fetch_add(&x, 1);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    assert(pthread_mutex_trylock(&mutex) == 0);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
