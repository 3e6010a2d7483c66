// Nothing but the lock is used of an object, and the object is freed: before the lock, between lock and unlock, or in time.
// gabion: verdict=bug kind=lock-misuse|use-after-free runs=3
// gabion: args=--keep-going
#include <pthread.h>
#include <stdlib.h>

struct object {
    long first;
    pthread_mutex_t lock;
};

static struct object *object;

static void *drop(void *arg) {
    free(object); // FREE
    return arg;
}

int main(void) {
    pthread_t t;
    object = calloc(1, sizeof *object); // ALLOC
    pthread_create(&t, NULL, drop, NULL);
    pthread_mutex_lock(&object->lock);
    pthread_mutex_unlock(&object->lock);
    pthread_join(t, NULL);
    return 0;
}
