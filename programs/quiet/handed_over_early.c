// As handed_over.c, but the last element is written after the block was handed over: the consumer may come in between.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { N = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *queue;

static void *producer(void *arg) {
    int *block = malloc(N * sizeof *block);
    for (int i = 0; i < N - 1; i++)
        block[i] = i + 1;
    pthread_mutex_lock(&mutex);
    queue = block;
    pthread_mutex_unlock(&mutex);
    block[N - 1] = N;
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
        assert(sum == N * (N + 1) / 2); // HERE
    }
    pthread_join(t, NULL);
    return 0;
}
