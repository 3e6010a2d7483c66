// The check is made only where another variable says so. The version was read last, and is as it should be.
// says: reads level at branch.c:25 and finds 3
// never: version at
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int version, open, level;

static void *fill(void *u) {
    atomic_fetch_add(&version, 1);
    atomic_store(&level, 3);
    atomic_store(&open, 1);
    atomic_store(&level, 5);
    return u;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, fill, 0);
    while (atomic_load(&version) == 0)
        ;
    int is_open = atomic_load(&open);
    if (is_open) {
        int is = atomic_load(&level);
        assert(atomic_load(&version) == 1);
        assert(is == 5);
    }
    pthread_join(t, 0);
}
