// A mutex is tried, and what it protects looked at where it was had.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready, value;

static void *set(void *unused) {
    pthread_mutex_lock(&mutex);
    value = 5;
    ready = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t a;
    int seen = 0;
    pthread_create(&a, NULL, set, NULL);
    while (!seen) {
        if (pthread_mutex_trylock(&mutex) == 0) {
            seen = ready;
            pthread_mutex_unlock(&mutex);
        } else {
            sched_yield();
        }
    }
    assert(value == 5);
    pthread_join(a, NULL);
    return 0;
}
