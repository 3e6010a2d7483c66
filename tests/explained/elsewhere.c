// What is read is not what is read where it passes.
// says: reads other at elsewhere.c:21 and finds 0
// says: In the closest interleaving that passes it reads one there.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int one, other;
static _Atomic(atomic_int *) chosen = &other;

static void *choose(void *u) {
    atomic_store(&one, 1);
    atomic_store(&chosen, &one);
    return u;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, choose, 0);
    atomic_int *it = atomic_load(&chosen);
    assert(atomic_load(it) == 1);
    pthread_join(t, 0);
}
