// The twin of robust: the code expects every lock to return 0.
// gabion: verdict=bug kind=assertion
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void *dies(void *arg) {
    pthread_mutex_lock(&mutex);
    return arg;
}

int main(void) {
    pthread_mutexattr_t attr;
    pthread_t t;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
    pthread_create(&t, NULL, dies, NULL);
    assert(pthread_mutex_lock(&mutex) == 0);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
