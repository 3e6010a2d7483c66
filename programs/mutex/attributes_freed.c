// A mutex is initialised with attributes in memory that may have been freed.
// gabion: verdict=bug kind=use-after-free freed=FREE
// gabion: native=no
#include <pthread.h>
#include <stdlib.h>

static pthread_mutexattr_t *attributes;
static pthread_mutex_t lock;

static void *work(void *arg) {
    free(attributes); // FREE
    return arg;
}

int main(void) {
    pthread_t other;
    attributes = malloc(sizeof *attributes);
    pthread_mutexattr_init(attributes);
    pthread_create(&other, 0, work, 0);
    pthread_mutex_init(&lock, attributes);
    pthread_join(other, 0);
    return 0;
}
