// No room for the end of the string.
// gabion: verdict=bug kind=heap-overflow location=HERE allocated=ALLOC
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const char *volatile word = "twelve bytes";

static void *work(void *arg) {
    char *copy = malloc(strlen(word)); // ALLOC
    strcpy(copy, word);                // HERE
    free(copy);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
