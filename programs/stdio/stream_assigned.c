// Where printf prints is a variable.
// gabion: verdict=bug kind=assertion native=no
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static FILE *other;

static void *redirect(void *arg) {
    stdout = other;
    return arg;
}

int main(void) {
    pthread_t t;
    other = tmpfile();
    FILE *before = stdout;
    pthread_create(&t, NULL, redirect, NULL);
    printf("x");
    long there = ftell(other);
    pthread_join(t, NULL);
    stdout = before;
    assert(there == 0);
    return 0;
}
