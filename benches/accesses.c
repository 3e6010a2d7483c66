// Two threads with five million accesses each, in loops over arrays of their own, and a lock at the end of every round.
#include <pthread.h>
#include <stdlib.h>

enum { LENGTH = 10000, ROUNDS = 250 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *work(void *arg) {
    int *array = calloc(LENGTH, sizeof *array);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < LENGTH; i++)
            array[i] += i; // a read and a write
        pthread_mutex_lock(&mutex);
        total += array[round];
        pthread_mutex_unlock(&mutex);
    }
    free(array);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    return total == 0;
}
