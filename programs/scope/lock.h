// A spin lock of the program's own, tested in the way of the thesis' mutex_test: two threads take it twice each, and give way
// while they have it.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int taken;
static int inside;

static void spin_lock(void) {
#ifdef TORN
    while (atomic_load(&taken)) ;
    atomic_store(&taken, 1);
#else
    while (atomic_exchange(&taken, 1)) ;
#endif
}

static void spin_unlock(void) { atomic_store(&taken, 0); }

static void *work(void *unused) {
    for (int i = 0; i < 2; i++) {
        spin_lock();
        inside = inside + 1;
        sched_yield();
        assert(inside == 1);
        inside = inside - 1;
        spin_unlock();
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    return 0;
}
