// What is read was not written yet, and nobody else has written it in this run.
// says: reads ready at too_early.c:23 and finds 0
// says: In the closest interleaving that passes it finds 1
// never: ticks at
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready, ticks;

static void *prepare(void *u) {
    atomic_fetch_add(&ticks, 1);
    atomic_store(&ready, 1);
    return u;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, prepare, 0);
    while (atomic_load(&ticks) == 0)
        ;
    int before = atomic_load(&ticks);
    int seen = atomic_load(&ready);
    assert(before == 1);
    assert(seen == 1);
    pthread_join(t, 0);
}
