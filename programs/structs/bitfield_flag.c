// As bitfield_store.c with single bits, which an optimising compiler sets by one instruction.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
// gabion: args=--cflags -O2
#include <assert.h>
#include <pthread.h>

static struct {
    unsigned first : 1, second : 1;
    unsigned long rest : 40;
} shared;

static void *work(void *arg) {
    shared.first = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    shared.second = 1;
    pthread_join(t, NULL);
    assert(shared.first && shared.second);
    return 0;
}
