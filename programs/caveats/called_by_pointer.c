// What nobody models is called through a table of functions, which no run would tell of.
// gabion: verdict=partial caveat=unmodelled-call
// gabion: compilers=gcc,clang
#include <assert.h>
#include <math.h>
#include <pthread.h>

static double (*const table[])(double, int *) = {frexp};
static volatile int which;

static void *work(void *argument) {
    int exponent = 0;
    assert(table[which](12.0, &exponent) == 0.75);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
}
