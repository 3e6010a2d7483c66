// Main leaves with pthread_exit; the process lives on until the last thread has ended.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *arg) {
    atomic_fetch_add(&x, 1);
    atomic_fetch_add(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    atomic_fetch_add(&x, 1);
    pthread_exit(NULL);
}
