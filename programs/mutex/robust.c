// The owner of a robust mutex ends without unlocking: the next one hears EOWNERDEAD and repairs.
// gabion: verdict=complete
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void *dies(void *arg) {
    int r = pthread_mutex_lock(&mutex);
    assert(r == 0 || r == EOWNERDEAD);
    return arg;
}

int main(void) {
    pthread_mutexattr_t attr;
    int robust = -1;
    pthread_t t;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    assert(pthread_mutexattr_getrobust(&attr, &robust) == 0 && robust == PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
    pthread_create(&t, NULL, dies, NULL);
    int r = pthread_mutex_lock(&mutex);
    assert(r == 0 || r == EOWNERDEAD);
    if (r == EOWNERDEAD)
        assert(pthread_mutex_consistent(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    pthread_join(t, NULL);
    r = pthread_mutex_lock(&mutex);
    assert(r == 0 || r == EOWNERDEAD);
    return 0;
}
