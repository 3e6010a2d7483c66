// Eight bytes are copied by one instruction.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <string.h>

static long x, ones = -1;

static void *copy(void *arg) {
    memcpy(&x, &ones, sizeof x);
    return arg;
}

int main(void) {
    long v;
    pthread_t t;
    pthread_create(&t, NULL, copy, NULL);
    memcpy(&v, &x, sizeof v);
    pthread_join(t, NULL);
    assert(v == 0 || v == -1);
    return 0;
}
