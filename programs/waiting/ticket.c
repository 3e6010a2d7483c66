// A ticket lock.
// gabion: verdict=complete
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int next, serving;
static int x;

static void *work(void *arg) {
    int mine = atomic_fetch_add(&next, 1);
    while (atomic_load(&serving) != mine)
        sched_yield();
    x++;
    atomic_fetch_add(&serving, 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(x == 2);
    return 0;
}
