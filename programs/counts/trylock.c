// A try-lock before, inside and after the other's section: 3.
// gabion: verdict=complete runs=3
// gabion: args=--preempt sync --reduction none
// gabion: compilers=gcc,clang
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
    if (pthread_mutex_trylock(&mutex) == 0) {
        atomic_fetch_add(&x, 1);
        pthread_mutex_unlock(&mutex);
    }
    pthread_join(t, NULL);
    return 0;
}
