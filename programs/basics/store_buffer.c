// Dekker's core: under sequential consistency at least one thread sees the other's store.
// Two operations each: C(4,2) = 6.
// gabion: verdict=verified runs=6
// gabion: args=--reduction none
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *right(void *arg) {
    (void)arg;
    atomic_store(&y, 1);
    return (void *)(long)atomic_load(&x);
}

int main(void) {
    pthread_t t;
    void *saw_x;
    pthread_create(&t, NULL, right, NULL);
    atomic_store(&x, 1);
    int saw_y = atomic_load(&y);
    pthread_join(t, &saw_x);
    assert(saw_y || saw_x);
    return 0;
}
