// Counts while it waits, without end: with any number of rounds there is one more. The search ends by its budget, and the verdict names the loop.
// gabion: verdict=partial caveat=assumed-wait
// gabion: compilers=gcc,clang
// gabion: args=--budget-runs 300
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
