// A round counts a depth in memory of its own up and down again.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct reader {
    int depth, most;
};
static _Atomic int flag;
static int data;

static int look(struct reader *reader) {
    if (++reader->depth > reader->most)
        reader->most = reader->depth;
    int seen = atomic_load(&flag);
    reader->depth--;
    return seen;
}

static void *set(void *unused) {
    data = 7;
    atomic_store(&flag, 1);
    return unused;
}

int main(void) {
    pthread_t t;
    struct reader *reader = calloc(1, sizeof *reader);
    pthread_create(&t, NULL, set, NULL);
    while (!look(reader))
        ;
    assert(data == 7 && reader->depth == 0 && reader->most == 1);
    pthread_join(t, NULL);
    free(reader);
    return 0;
}
