// And is the program's alone once another is set.
// gabion: verdict=verified runs=1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int first[32], second[32];

static void *draw(void *arg) {
    random();
    return arg;
}

int main(void) {
    pthread_t t;
    initstate(5, (char *)first, sizeof first);
    char *before = initstate(6, (char *)second, sizeof second);
    assert(before == (char *)first);
    pthread_create(&t, NULL, draw, NULL);
    first[3] = 1;
    assert(first[3] == 1);
    pthread_join(t, NULL);
    return 0;
}
