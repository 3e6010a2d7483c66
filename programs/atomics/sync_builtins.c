// The old __sync built-ins, concurrently.
// gabion: verdict=verified runs=6
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static int x;

static void *work(void *arg) {
    __sync_fetch_and_add(&x, 1);
    __sync_add_and_fetch(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(x == 4);
    return 0;
}
