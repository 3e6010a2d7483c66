// The twin of last_reference.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
};

static struct object *object;

static void *drop(void *arg) {
    if (atomic_fetch_sub(&object->references, 1) == 1)
        free(object);
    return arg;
}

int main(void) {
    pthread_t t;
    object = malloc(sizeof *object);
    atomic_init(&object->references, 2);
    pthread_create(&t, NULL, drop, NULL);
    drop(NULL);
    pthread_join(t, NULL);
    return 0;
}
