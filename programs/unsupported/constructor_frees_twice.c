// A misuse of the heap before main is told as what it is.
// gabion: verdict=error message="before main, where runs begin: a block of 8 bytes is freed that was freed before"
#include <pthread.h>
#include <stdlib.h>

__attribute__((constructor)) static void early(void) {
    char *volatile block = malloc(8);
    free(block);
    free(block);
}

static void *work(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
