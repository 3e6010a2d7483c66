// Two threads with a local of the same name each: whose it is is part of the name.
// options: --cflags -O0
// options: --cflags -O2
// options: --cflags -O0 --compiler clang
// options: --cflags -O2 --compiler clang
// object: own in work of T1
// object: failed[0]
// object: own in work of T2
// object: failed[1]
#include <assert.h>
#include <pthread.h>

static int failed[2];

static void *add(void *own) {
    *(int *)own += 1;
    return NULL;
}

static void *work(void *failed) {
    int own = 0;
    pthread_t t;
    pthread_create(&t, NULL, add, &own);
    own += 1;
    pthread_join(t, NULL);
    *(int *)failed = own != 2;
    return NULL;
}

int main(void) {
    static pthread_t t[2];
    pthread_create(&t[0], NULL, work, &failed[0]);
    pthread_create(&t[1], NULL, work, &failed[1]);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(!failed[0] || !failed[1]);
    return 0;
}
