// The length is made known before the larger buffer is: a reader in between reads past the old one.
// gabion: verdict=bug kind=heap-overflow location=HERE allocated=ALLOC
#include <pthread.h>
#include <stdlib.h>

static char *buffer;
static int length;

static void *grow(void *arg) {
    length = 32;
    buffer = calloc(32, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    buffer = calloc(8, 1); // ALLOC
    length = 8;
    pthread_create(&t, NULL, grow, NULL);
    int last = length - 1;
    int seen = buffer[last]; // HERE
    pthread_join(t, NULL);
    return seen;
}
