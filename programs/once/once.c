// pthread_once: the function runs once, and nobody returns before it is done.
// gabion: verdict=complete
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int count, done;

static void init(void) {
    atomic_fetch_add(&count, 1);
    atomic_store(&done, 1);
}

static void *work(void *arg) {
    pthread_once(&once, init);
    assert(atomic_load(&done) == 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(count == 1);
    return 0;
}
