// A shared struct is passed by value, which no compiler announces: nothing is found, and nothing may be called verified.
// gabion: verdict=partial
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

struct big {
    long v[6];
};
static struct big shared;

__attribute__((noinline)) static long first(struct big b) {
    return b.v[0];
}

static void *work(void *arg) {
    shared.v[0] = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    long before = shared.v[0];
    long after = first(shared);
    assert(before == after);
    pthread_join(t, NULL);
    return 0;
}
