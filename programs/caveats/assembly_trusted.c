// As assembly.c, with the functions that hold the assembly named as trusted: that is what was asked for.
// gabion: verdict=complete caveat=inline-assembly
// gabion: compilers=gcc,clang
// gabion: args=--trust load --trust store
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
