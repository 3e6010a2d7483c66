// A reference count with relaxed order: the last one frees what another may still read.
// gabion: verdict=verified races=A-B,B-C
// gabion: would-order="at @C (relaxed) would have to be release, and the update of heap(references_relaxed.c:26) by T"
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int value;
};

static struct object *object;
int got[2];

static void *work(void *arg) {
    got[arg != NULL] = object->value; // @A
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_relaxed) == 1) // @C
        free(object); // @B
    return NULL;
}

int main(void) {
    pthread_t other;
    object = malloc(sizeof *object);
    object->references = 2;
    object->value = 7;
    pthread_create(&other, NULL, work, NULL);
    work(&other);
    pthread_join(other, NULL);
    return 0;
}
