// The counter is a local that is reached through a pointer: it is part of the stack that is compared.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;
static int *rounds;

static void *writer(void *arg) {
    atomic_store(&flag, 1);
    return arg;
}

int main(void) {
    int counter = 0;
    pthread_t t;
    rounds = &counter;
    pthread_create(&t, NULL, writer, NULL);
    while (!atomic_load(&flag) && *rounds < 6) {
        (*rounds)++;
        sched_yield();
    }
    assert(*rounds < 6); // HERE
    pthread_join(t, NULL);
    return 0;
}
