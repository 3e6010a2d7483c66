// Both threads wait in a loop, each for what the other would do afterwards: thread and line of the heading belong together.
// heads: two_spins.c:19 in main, thread T0 (main)
// says: T0 (main) reads first at two_spins.c:19
// says: T1 (waits) reads second at two_spins.c:11
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first, second;

static void *waits(void *u) {
    while (!atomic_load(&second))
        ;
    return u;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waits, 0);
    while (!atomic_load(&first))
        ;
    atomic_store(&second, 1);
    pthread_join(t, 0);
}
