// Its twin: without the lock, both can be inside.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int inside;

static void *work(void *arg) {
    assert(atomic_fetch_add(&inside, 1) == 0);
    putc('x', stdout);
    atomic_fetch_sub(&inside, 1);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    work(0);
    pthread_join(other, 0);
    return 0;
}
