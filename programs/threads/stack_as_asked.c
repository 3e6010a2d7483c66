// A thread has as much stack as it was given, and is told so.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

#define SIZE (512 << 10)

static int deep(volatile char *from, int n) {
    volatile char here[4096];
    here[0] = *from;
    return n == 100 ? 0 : deep(here, n + 1) + here[0];
}

static void *work(void *arg) {
    char zero = 0;
    size_t size;
    pthread_attr_t own;
    pthread_getattr_np(pthread_self(), &own);
    pthread_attr_getstacksize(&own, &size);
    assert(size == SIZE);
    deep(&zero, 0);
    return arg;
}

int main(void) {
    pthread_attr_t attributes;
    pthread_t t;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, SIZE);
    pthread_create(&t, &attributes, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
