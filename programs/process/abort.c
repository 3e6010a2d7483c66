// abort in one of the interleavings.
// gabion: verdict=bug kind=abort
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int x;

static void *work(void *arg) {
    atomic_store(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    if (atomic_load(&x))
        abort();
    pthread_join(t, NULL);
    return 0;
}
