// What was chosen is in the table.
// says: reads x at choice.c:20 and finds 3
// shows: choose 1 (of 0..1)
// shows: choose 3 (of 0..4)
#include <assert.h>
#include <gabion.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *choose(void *u) {
    atomic_store(&x, gabion_choose(5));
    return u;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, choose, 0);
    int asks = gabion_choose(2), is = atomic_load(&x);
    pthread_join(t, 0);
    assert(!asks || is != 3);
}
