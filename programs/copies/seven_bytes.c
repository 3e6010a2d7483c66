// Seven bytes are copied by several instructions: a reader may see half of them.
// gabion: verdict=complete caveat=whole-copies
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char x[8], ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};

static void *copy(void *arg) {
    memcpy(x, ones, 7);
    return arg;
}

int main(void) {
    char v[8];
    pthread_t t;
    pthread_create(&t, NULL, copy, NULL);
    memcpy(v, x, 7);
    pthread_join(t, NULL);
    assert(v[0] == v[6]);
    return 0;
}
