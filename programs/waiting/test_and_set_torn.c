// A lock made of a load and a store: two threads can both find it free.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;
static int x;

static void *work(void *arg) {
    while (atomic_load(&lock))
        ;
    atomic_store(&lock, 1);
    x++;
    atomic_store(&lock, 0);
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
