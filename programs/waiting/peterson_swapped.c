// Peterson's lock with its first two stores swapped: both can be inside.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn, inside;

static void *work(void *arg) {
    int me = arg != NULL, other = 1 - me;
    atomic_store(&turn, other);
    atomic_store(&wants[me], 1);
    while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
        ;
    assert(atomic_fetch_add(&inside, 1) == 0); // HERE
    atomic_fetch_sub(&inside, 1);
    atomic_store(&wants[me], 0);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, &t);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
