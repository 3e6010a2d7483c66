// A spin lock is taken to look, in one place by trying.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_spinlock_t lock;
static int ready, value;

static int look(void) {
    int seen = 0;
    if (pthread_spin_trylock(&lock) == 0) {
        seen = ready;
        pthread_spin_unlock(&lock);
    }
    return seen;
}

static void *set(void *unused) {
    pthread_spin_lock(&lock);
    value = 5;
    ready = 1;
    pthread_spin_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a;
    int seen;
    pthread_spin_init(&lock, 0);
    pthread_create(&a, NULL, set, NULL);
    while (!look())
        sched_yield();
    do {
        pthread_spin_lock(&lock);
        seen = ready;
        pthread_spin_unlock(&lock);
    } while (!seen);
    assert(value == 5);
    pthread_join(a, NULL);
    return 0;
}
