// Writes all around its block, over whatever the allocator keeps there, then goes on using the heap.
// gabion: verdict=any
// gabion: args=--preempt sync
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    volatile char *p = malloc(100);
    for (long i = -4096; i < 4096; i++)
        p[i] = 0x5a;
    for (int i = 0; i < 50; i++)
        free(malloc(100));
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
