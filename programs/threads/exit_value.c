// The value of pthread_exit, deep inside calls, arrives at the join.
// gabion: verdict=verified runs=1
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static void deep(int n) {
    if (n > 0)
        deep(n - 1);
    pthread_exit((void *)7);
}

static void *leaves(void *arg) {
    deep(3);
    return arg;
}

int main(void) {
    pthread_t t;
    void *value;
    pthread_create(&t, NULL, leaves, NULL);
    assert(pthread_join(t, &value) == 0);
    assert(value == (void *)7);
    return 0;
}
