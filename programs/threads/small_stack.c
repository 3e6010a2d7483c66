// A thread has as much stack as it was given (and a quarter more, for what instrumentation adds).
// gabion: verdict=bug kind=segfault message="the stack of T1 overflowed"
// gabion: compilers=gcc,clang
#include <pthread.h>

static int deep(volatile char *from, int n) {
    volatile char here[4096];
    here[0] = *from;
    return n == 100 ? 0 : deep(here, n + 1) + here[0];
}

static void *work(void *arg) {
    char zero = 0;
    deep(&zero, 0);
    return arg;
}

int main(void) {
    pthread_attr_t attributes;
    pthread_t t;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    pthread_create(&t, &attributes, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
