// A recursive mutex: locked twice, free only after the second unlock.
// gabion: verdict=complete
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static int shared;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    int before = shared;
    pthread_mutex_unlock(&mutex);
    shared = before + 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_mutexattr_t attr;
    int type = -1;
    pthread_t t;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    assert(pthread_mutexattr_gettype(&attr, &type) == 0 && type == PTHREAD_MUTEX_RECURSIVE);
    assert(pthread_mutex_init(&mutex, &attr) == 0);
    pthread_mutexattr_destroy(&attr);
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(shared == 2);
    assert(pthread_mutex_destroy(&mutex) == 0);
    return 0;
}
