// Two threads with eight atomic additions each, and HEAP_MB megabytes of heap that exist and of which each run dirties five pages.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifndef HEAP_MB
#define HEAP_MB 64
#endif

static char *heap;
static atomic_int atomic;

static void *work(void *arg) {
    for (int round = 0; round < 8; round++)
        atomic_fetch_add(&atomic, 1);
    return arg;
}

int main(void) {
    pthread_t other;
    size_t size = (size_t)HEAP_MB << 20;
    heap = malloc(size);
    memset(heap, 1, size);
    pthread_create(&other, NULL, work, NULL);
    for (size_t page = 0; page < 5; page++)
        heap[page * (size / 5)] = 2;
    work(NULL);
    pthread_join(other, NULL);
    return 0;
}
