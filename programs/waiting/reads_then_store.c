// Reads more often than a loop that waits would, and then writes: the other thread may come between. What follows such a loop
// has points of its own, whatever is assumed of its rounds.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n;

static void *add(void *arg) {
    int seen = 0;
    for (int round = 0; round < 25; round++)
        seen = atomic_load(&n);
    atomic_store(&n, seen + 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(n == 2);
}
