// exit(0) in the middle, from a thread, is a proper end.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int x;

static void *work(void *arg) {
    atomic_fetch_add(&x, 1);
    exit(0);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    atomic_fetch_add(&x, 1);
    pthread_join(t, NULL);
    return 9;
}
