// The twin of order_of_addresses: addresses depend on the own thread only, and allocations are no conflict.
// gabion: verdict=verified runs=1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *block;

static void *work(void *arg) {
    block = malloc(16);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    void *mine = malloc(16);
    pthread_join(t, NULL);
    assert(mine < block);
    return 0;
}
