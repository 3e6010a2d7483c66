// Three threads read a table that was written before any of them existed: reading needs no points.
// gabion: verdict=verified runs=1
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

enum { N = 4096, ROUNDS = 20 };

static int table[N];

static void *work(void *arg) {
    long sum = 0;
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < N; i++)
            sum += table[i];
    assert(sum == (long)ROUNDS * N * (N - 1) / 2);
    return arg;
}

int main(void) {
    for (int i = 0; i < N; i++)
        table[i] = i;
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    work(NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
