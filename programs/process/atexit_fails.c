// A handler that fails is found like everything else.
// gabion: verdict=bug kind=assertion location=HERE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int finished;

static void *work(void *arg) {
    atomic_store(&finished, 1);
    return arg;
}

static void check(void) {
    assert(finished); // HERE
}

int main(void) {
    pthread_t t;
    atexit(check);
    pthread_create(&t, NULL, work, NULL);
    return 0;
}
