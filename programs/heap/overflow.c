// One element too many.
// gabion: verdict=bug kind=heap-overflow location=HERE allocated=ALLOC message=overflow
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    int *numbers = malloc(5 * sizeof *numbers); // ALLOC
    for (int i = 0; i <= 5; i++)
        numbers[i] = i; // HERE
    free(numbers);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
