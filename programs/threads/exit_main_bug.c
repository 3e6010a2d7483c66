// The twin of exit_main: the thread fails after main has left.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *arg) {
    assert(atomic_fetch_add(&x, 1) == 0); // HERE
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    atomic_fetch_add(&x, 1);
    pthread_exit(NULL);
}
