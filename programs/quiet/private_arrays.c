// Two threads fill and add up a heap array of a million elements each: nobody else ever touches them, so there is nothing to
// preempt.
// gabion: verdict=verified runs=1
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { N = 1000000 };

static void *work(void *arg) {
    int *a = malloc(N * sizeof *a);
    long sum = 0;
    for (int i = 0; i < N; i++)
        a[i] = i;
    for (int i = 0; i < N; i++)
        sum += a[i];
    assert(sum == (long)N * (N - 1) / 2);
    free(a);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
