// Two threads increment a plain counter: an update can be lost.
// gabion: verdict=bug kind=assertion location=HERE
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
    assert(counter == 2); // HERE
    return 0;
}
