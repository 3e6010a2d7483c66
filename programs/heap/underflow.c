// The element before the first.
// gabion: verdict=bug kind=heap-overflow location=HERE allocated=ALLOC message=underflow
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>

static volatile int before = -1;

static void *work(void *arg) {
    int *numbers = calloc(5, sizeof *numbers); // ALLOC
    numbers[before] = 1;                       // HERE
    free(numbers);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
