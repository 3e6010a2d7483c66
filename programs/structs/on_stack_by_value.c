// A struct on main's stack that a thread writes is passed by value, which no compiler announces.
// gabion: verdict=partial
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

struct big {
    long v[6];
};

__attribute__((noinline)) static long first(struct big b) {
    return b.v[0];
}

static void *work(void *arg) {
    struct big *shared = arg;
    shared->v[0] = 1;
    return 0;
}

int main(void) {
    struct big shared = {{0}};
    pthread_t t;
    pthread_create(&t, NULL, work, &shared);
    long before = shared.v[0];
    long after = first(shared);
    assert(before == after);
    pthread_join(t, NULL);
    return 0;
}
