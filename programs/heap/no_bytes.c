// A block of no bytes can be freed, and nothing else.
// gabion: verdict=bug kind=heap-overflow location=HERE allocated=ALLOC
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    char *nothing = malloc(0), *again = malloc(0); // ALLOC
    free(nothing);
    *again = 1; // HERE
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
