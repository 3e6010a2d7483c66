// The twin of message_passing: the flag comes before the data.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int ready;

static void *writer(void *arg) {
    atomic_store(&ready, 1);
    data = 42;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    if (atomic_load(&ready))
        assert(data == 42); // HERE
    pthread_join(t, NULL);
    return 0;
}
