// One interleaving of several crashes; the search goes on after it.
// gabion: verdict=bug kind=segfault runs=6
// gabion: args=--preempt atomic --keep-going
#include <pthread.h>
#include <stdatomic.h>

static int cell;
static _Atomic(int *) pointer = &cell;

static void *work(void *arg) {
    atomic_store(&pointer, (int *)0);
    atomic_store(&pointer, &cell);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    atomic_load(&pointer);
    *atomic_load(&pointer) = 1;
    pthread_join(t, NULL);
    return 0;
}
