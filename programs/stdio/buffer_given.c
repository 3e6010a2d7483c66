// The buffer that setvbuf gave to a stream is written by the calls on the stream.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
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
    char first = buffer[0];
    pthread_join(t, NULL);
    assert(first == 0);
    return 0;
}
