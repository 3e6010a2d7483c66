// The last pointer to a block is overwritten, in one order only.
// gabion: verdict=bug kind=leak location=ALLOC allocated=ALLOC
// gabion: args=--leaks
#include <pthread.h>
#include <stdlib.h>

static int *box;

static void *put(void *arg) {
    if (!box)
        box = malloc(sizeof *box); // ALLOC
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, put, NULL);
    put(NULL);
    pthread_join(t, NULL);
    return 0;
}
