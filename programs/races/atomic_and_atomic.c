// A counter that is added to and set by atomics.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *work(void *arg) {
    atomic_fetch_add(&counter, 1);
    return arg;
}

static void reset(void) {
    atomic_store(&counter, 0);
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    reset();
    pthread_join(other, NULL);
    return 0;
}
