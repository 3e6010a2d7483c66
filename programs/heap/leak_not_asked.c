// A leak is none of our business unless asked for.
// gabion: verdict=verified
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    int *volatile p = malloc(4);
    p = NULL;
    return p ? p : arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
