// As deep_for.c, told that loops which look so wait for another thread: the bug is missed, and the verdict says why.
// gabion: verdict=complete caveat=assumed-wait
// gabion: compilers=gcc,clang
// gabion: args=--assume-waits
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int flag;

static void *writer(void *arg) {
    atomic_store(&flag, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    int seen = 0;
    pthread_create(&t, NULL, writer, NULL);
    for (int i = 0; i < 60; i++)
        seen += atomic_load(&flag);
    pthread_join(t, NULL);
    assert(seen != 31);
    return 0;
}
