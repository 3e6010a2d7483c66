// A struct on the stack of a function that main has called: what is in it has its name, an array's element its number.
// options: --cflags -O0
// options: --cflags -O2
// options: --cflags -O0 --compiler clang
// options: --cflags -O2 --compiler clang
// object: pair.each[2] in run
// object: pair.sum in run
// does: lock pair.m in run
// does: unlock pair.m in run
#include <assert.h>
#include <pthread.h>

struct pair {
    int sum;
    pthread_mutex_t m;
    int each[4];
};

static void *work(void *p) {
    struct pair *pair = p;
    pair->each[2] += 1;
    pthread_mutex_lock(&pair->m);
    pair->sum += 1;
    pthread_mutex_unlock(&pair->m);
    return NULL;
}

__attribute__((noinline)) static int run(void) {
    struct pair pair = {0};
    pthread_mutex_init(&pair.m, NULL);
    pthread_t a, b;
    pthread_create(&a, NULL, work, &pair);
    pthread_create(&b, NULL, work, &pair);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(pair.each[2] == 2);
    return pair.sum;
}

int main(void) {
    return run() - 2;
}
