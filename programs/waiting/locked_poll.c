// Looks under a lock whether it may go on. Every round takes and releases the lock, so that it is only taken to wait.
// gabion: verdict=complete
// gabion: compilers=gcc,clang
// gabion: args=--preempt lock
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ready, data;

static void *work(void *arg) {
    data = 1;
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    int seen = 0;
    pthread_create(&t, NULL, work, NULL);
    while (!seen) {
        pthread_mutex_lock(&m);
        seen = ready;
        pthread_mutex_unlock(&m);
        if (!seen)
            sched_yield();
    }
    assert(data == 1);
    pthread_join(t, NULL);
    return 0;
}
