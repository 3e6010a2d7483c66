// A function that nobody models is called, by one of the threads. It gets its arguments, also those in floating-point registers.
// gabion: verdict=partial caveat=unmodelled-call
// gabion: compilers=gcc,clang
#include <assert.h>
#include <math.h>
#include <monetary.h>
#include <pthread.h>
#include <string.h>

static void *work(void *argument) {
    int exponent = 0;
    volatile double value = 12.0;
    assert(frexp(value, &exponent) == 0.75 && exponent == 4);
    char text[32];
    assert(strfmon(text, sizeof text, "%!.1n %!.2n", value, value / 16) > 0);
    assert(strcmp(text, "12.0 0.75") == 0);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
}
