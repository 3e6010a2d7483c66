// The counter is in thread-local storage, which is private and not on the stack: the loop is left through it.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;
static __thread int rounds;

static void *writer(void *arg) {
    atomic_store(&flag, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    while (!atomic_load(&flag) && rounds < 6) {
        rounds++;
        sched_yield();
    }
    assert(rounds < 6); // HERE
    pthread_join(t, NULL);
    return 0;
}
