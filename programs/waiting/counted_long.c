// A loop that gives up after more rounds than are looked at one by one: it is still left through its counter.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;

static void *writer(void *arg) {
    atomic_store(&flag, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    int i;
    pthread_create(&t, NULL, writer, NULL);
    for (i = 0; i < 500 && !atomic_load(&flag); i++)
        sched_yield();
    assert(i < 500); // HERE
    pthread_join(t, NULL);
    return 0;
}
