// gabion: verdict=bug kind=assertion compilers=gcc,clang
// gabion: args=--trust 'lock_*' --test-locks lock_take --test-locks lock_give
// Locks are trusted in every other test of the project; in theirs they are not. This one reads and writes plain memory.
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
