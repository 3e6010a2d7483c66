// A mutex on a thread's stack is published for a moment; who has seen it may lock it after the thread's end.
// gabion: verdict=bug kind=use-after-free message=ended
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic(pthread_mutex_t *) shared;

static void *owner(void *arg) {
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    atomic_store(&shared, &own);
    atomic_store(&shared, NULL);
    return arg;
}

static void *user(void *arg) {
    pthread_mutex_t *lock = atomic_load(&shared);
    if (lock != NULL) {
        pthread_mutex_lock(lock);
        pthread_mutex_unlock(lock);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&b, NULL, user, NULL);
    pthread_create(&a, NULL, owner, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
