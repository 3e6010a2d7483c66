// gabion: verdict=complete runs=2 compilers=gcc,clang
// gabion: args=--trust get --trust set
// A thread that polls through trusted code waits, and goes on when trusted code has written. The additions before come in both orders.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static int flag;
static atomic_int begun;

static int get(void) { return flag; }
static void set(int to) { flag = to; }

static void *work(void *unused) {
    begun++;
    set(1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    begun++;
    while (!get()) sched_yield();
    pthread_join(thread, NULL);
    assert(get() == 1);
    return 0;
}
