// The lost update again, counted: each increment is a read and a write, C(4,2) = 6 interleavings, and the search
// goes on after the first bug.
// gabion: verdict=bug kind=assertion runs=6
// gabion: args=--keep-going --reduction none
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static int counter;

static void *increment(void *arg) {
    counter++;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, increment, NULL);
    counter++;
    pthread_join(t, NULL);
    assert(counter == 2);
    return 0;
}
