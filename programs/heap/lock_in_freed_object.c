// The lock is part of the object that is freed while the other thread still has to unlock it.
// gabion: verdict=bug kind=use-after-free allocated=ALLOC freed=FREE
#include <pthread.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t lock;
    int users;
};

static struct object *object;

static void *leave(void *arg) {
    pthread_mutex_lock(&object->lock);
    int left = --object->users;
    pthread_mutex_unlock(&object->lock);
    if (left == 0)
        free(object); // FREE
    return arg;
}

int main(void) {
    pthread_t t;
    object = malloc(sizeof *object); // ALLOC
    pthread_mutex_init(&object->lock, NULL);
    object->users = 1;
    pthread_create(&t, NULL, leave, NULL);
    pthread_mutex_lock(&object->lock);
    pthread_mutex_unlock(&object->lock);
    pthread_join(t, NULL);
    return 0;
}
