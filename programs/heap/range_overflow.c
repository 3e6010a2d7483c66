// A copy that is longer than its target.
// gabion: verdict=bug kind=heap-overflow location=HERE allocated=ALLOC
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char source[64];
static volatile size_t size = 33;

static void *work(void *arg) {
    void *target;
    if (posix_memalign(&target, 64, 32)) // ALLOC
        return arg;
    memcpy(target, source, size); // HERE
    free(target);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
