// A bare spin on an atomic: nothing but the load.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *reader(void *arg) {
    while (!atomic_load(&flag))
        ;
    assert(data == 42);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    data = 42;
    atomic_store(&flag, 1);
    pthread_join(t, NULL);
    return 0;
}
