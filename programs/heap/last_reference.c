// A count of references that is taken down, then looked at: the other thread may have freed the object in between.
// gabion: verdict=bug kind=use-after-free location=HERE allocated=ALLOC freed=FREE
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
};

static struct object *object;

static void *drop(void *arg) {
    atomic_fetch_sub(&object->references, 1);
    if (atomic_load(&object->references) == 0) // HERE
        free(object);                          // FREE
    return arg;
}

int main(void) {
    pthread_t t;
    object = malloc(sizeof *object); // ALLOC
    atomic_init(&object->references, 2);
    pthread_create(&t, NULL, drop, NULL);
    drop(NULL);
    pthread_join(t, NULL);
    return 0;
}
