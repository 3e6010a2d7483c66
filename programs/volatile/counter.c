// volatile is not atomic.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static volatile int x;

static void *work(void *arg) {
    x++;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    x++;
    pthread_join(t, NULL);
    assert(x == 2);
    return 0;
}
