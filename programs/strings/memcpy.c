// A buffer is checked and then copied with memcpy; it can change in between.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char shared[8] = "aaaaaaa";

static void *work(void *arg) {
    memcpy(shared, "bbbbbbb", 8);
    return arg;
}

int main(void) {
    pthread_t t;
    char copy[8];
    pthread_create(&t, NULL, work, NULL);
    char before = shared[0];
    memcpy(copy, shared, 8);
    assert(copy[0] == before);
    pthread_join(t, NULL);
    return 0;
}
