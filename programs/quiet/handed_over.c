// A block is filled in private and handed over through a queue under a lock; the consumer then has it alone.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { N = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *queue;

static void *producer(void *arg) {
    int *block = malloc(N * sizeof *block);
    for (int i = 0; i < N; i++)
        block[i] = i + 1;
    pthread_mutex_lock(&mutex);
    queue = block;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&mutex);
    int *block = queue;
    pthread_mutex_unlock(&mutex);
    if (block) {
        int sum = 0;
        for (int i = 0; i < N; i++)
            sum += block[i];
        assert(sum == N * (N + 1) / 2);
        free(block);
    }
    pthread_join(t, NULL);
    return 0;
}
