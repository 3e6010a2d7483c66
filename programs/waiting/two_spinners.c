// Two threads wait, each in its own way, for a third: fairness must let that one run.
// gabion: verdict=complete
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *spinner(void *arg) {
    while (!atomic_load(&flag))
        sched_yield();
    assert(data == 1);
    return arg;
}

static void *writer(void *arg) {
    data = 1;
    atomic_store(&flag, 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, spinner, NULL);
    pthread_create(&b, NULL, writer, NULL);
    while (!atomic_load(&flag))
        ;
    assert(data == 1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
