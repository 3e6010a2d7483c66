// sscanf stores two numbers, one after the other: somebody may see the one and not the other.
// gabion: verdict=complete caveat=whole-copies
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int a, b;

static void *scan(void *arg) {
    sscanf("1 1", "%d %d", &a, &b);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, scan, NULL);
    int first = a, second = b;
    pthread_join(t, NULL);
    assert(!first || second);
    return 0;
}
