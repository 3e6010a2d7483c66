// And the names in them.
// gabion: verdict=bug kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static char text[] = "A_=1";

static void *change(void *arg) {
    text[0] = 'B';
    return arg;
}

int main(void) {
    pthread_t t;
    putenv(text);
    pthread_create(&t, NULL, change, NULL);
    char *first = getenv("A_"), *second = getenv("A_");
    pthread_join(t, NULL);
    assert(first == second);
    return 0;
}
