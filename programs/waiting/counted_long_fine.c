// As counted_long.c; to give up is right. All 500 rounds are searched in the end, so nothing is left to a guess.
// gabion: verdict=complete
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
    i < 500 || i == 500;
    pthread_join(t, NULL);
    return 0;
}
