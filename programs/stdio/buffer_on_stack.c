// As buffer_given.c, with setbuffer and a buffer on the stack of another thread.
// gabion: verdict=bug kind=assertion
#define _DEFAULT_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *write_one(void *arg) {
    fputc('x', stdout);
    return arg;
}

int main(void) {
    char buffer[64] = {0};
    pthread_t t;
    setbuffer(stdout, buffer, sizeof buffer);
    pthread_create(&t, NULL, write_one, NULL);
    char first = buffer[0];
    pthread_join(t, NULL);
    setvbuf(stdout, NULL, _IOFBF, 0);
    assert(first == 0);
    return 0;
}
