// Thread-local variables: each thread has its own, initialised.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static __thread int mine = 3;

static void *work(void *arg) {
    mine++;
    return (void *)(long)(mine + (arg != NULL));
}

int main(void) {
    pthread_t t;
    void *its;
    pthread_create(&t, NULL, work, NULL);
    mine += 10;
    pthread_join(t, &its);
    assert(mine == 13 && (long)its == 4);
    return 0;
}
