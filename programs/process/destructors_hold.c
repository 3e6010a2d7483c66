// Destructors run after exit handlers, the last one first, and are part of the test.
// gabion: verdict=verified
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int ran;
static _Atomic int n;

static void *add(void *arg) {
    n++;
    return arg;
}

static void handler(void) {
    assert(ran++ == 0);
}

__attribute__((destructor)) static void second(void) {
    assert(ran++ == 2);
    assert(n == 2);
}

__attribute__((destructor)) static void first(void) {
    assert(ran++ == 1);
}

int main(void) {
    pthread_t t;
    atexit(handler);
    pthread_create(&t, NULL, add, NULL);
    n++;
    pthread_join(t, NULL);
    return 0;
}
