// Dekker's lock for two: who has not the turn steps back and waits for it.
// gabion: verdict=complete
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int x;

static void *work(void *arg) {
    int me = arg != NULL, other = 1 - me;
    atomic_store(&wants[me], 1);
    while (atomic_load(&wants[other])) {
        if (atomic_load(&turn) != me) {
            atomic_store(&wants[me], 0);
            while (atomic_load(&turn) != me)
                ;
            atomic_store(&wants[me], 1);
        }
    }
    x++;
    atomic_store(&turn, other);
    atomic_store(&wants[me], 0);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, &x);
    work(NULL);
    pthread_join(t, NULL);
    assert(x == 2);
    return 0;
}
