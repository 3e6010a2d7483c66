// A handler of a fault passes a point; what its thread does next waits for a lock all the same.
// gabion: verdict=verified|complete
// gabion: args=--mode single
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int seen;
static sigjmp_buf back;
static int inside;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void handler(int signal) {
    atomic_store(&seen, signal);
    siglongjmp(back, 1);
}

static void enter(void) {
    assert(pthread_mutex_lock(&lock) == 0);
    assert(++inside == 1);
    atomic_load(&seen);
    inside--;
    pthread_mutex_unlock(&lock);
}

static void *work(void *argument) {
    volatile int zero = atomic_load(&seen);
    if (sigsetjmp(back, 1) == 0)
        zero = 7 / zero;
    enter();
    return argument;
}

int main(void) {
    signal(SIGFPE, handler);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    enter();
    pthread_join(thread, 0);
}
