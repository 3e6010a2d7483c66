// As deep_for.c, with a sum that no interleaving has: all rounds are searched, and nothing is left to a guess.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
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
    assert(seen != 61);
    return 0;
}
