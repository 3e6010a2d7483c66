// memset in one thread, memmove in the other: the order shows.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char shared[64];
static volatile size_t size = 32;

static void *work(void *arg) {
    memmove(shared + 16, shared, size);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    memset(shared, 1, size);
    pthread_join(t, NULL);
    assert(shared[40] == 1);
    return 0;
}
