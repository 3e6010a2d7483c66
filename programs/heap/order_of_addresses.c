// Which of two blocks has the lower address depends on who allocates first, if all share one heap.
// gabion: verdict=bug kind=assertion runs=2
// gabion: args=--strict-malloc --keep-going
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
