// Spins without giving way, and counts: recognised only as likely to wait.
// gabion: verdict=complete
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync --assume-waits
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static long spins;

static void *writer(void *arg) {
    atomic_store(&flag, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    long n = 0;
    pthread_create(&t, NULL, writer, NULL);
    while (!atomic_load(&flag))
        n++;
    spins = n;
    pthread_join(t, NULL);
    return 0;
}
