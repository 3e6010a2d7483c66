// Calls on a stream exclude each other: what they do to the buffer that the stream was given is no race.
// gabion: verdict=verified
// gabion: races=none
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static char buffer[64];

static void *write_one(void *arg) {
    fputc('x', stdout);
    return arg;
}

int main(void) {
    pthread_t t;
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    pthread_create(&t, NULL, write_one, NULL);
    fputc('y', stdout);
    pthread_join(t, NULL);
    assert(buffer[0]);
    return 0;
}
