// A mutex taken by trying again and again.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *work(void *arg) {
    while (pthread_mutex_trylock(&m))
        sched_yield();
    x++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(x == 2);
    return 0;
}
