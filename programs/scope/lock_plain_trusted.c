// gabion: verdict=complete runs=1 compilers=gcc,clang
// gabion: args=--trust 'lock_*'
// The twin of lock_plain.c: trusted, the lock is not looked at, and with it the order of what it guards: see decision 0010.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static volatile int taken;
static int inside;

static void lock_take(void) {
    while (taken) ;
    taken = 1;
}
static void lock_give(void) { taken = 0; }

static void *work(void *unused) {
    lock_take();
    inside = inside + 1;
    sched_yield();
    assert(inside == 1);
    inside = inside - 1;
    lock_give();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    return 0;
}
