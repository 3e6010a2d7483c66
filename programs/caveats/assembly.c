// A counter is loaded and stored by inline assembly, which announces nothing: an update can be lost, and no run shows it.
// gabion: verdict=partial caveat=inline-assembly
// gabion: compilers=gcc,clang
#include <pthread.h>

static long n;

static long load(long *at) {
    long value;
    __asm__ __volatile__("movq %1,%0" : "=r"(value) : "m"(*at) : "memory");
    return value;
}

static void store(long *at, long value) {
    __asm__ __volatile__("movq %1,%0" : "=m"(*at) : "r"(value) : "memory");
}

static void *work(void *arg) {
    store(&n, load(&n) + 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
