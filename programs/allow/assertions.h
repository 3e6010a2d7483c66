// Two functions that fail, each when its thread comes first.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turn;

static int old_part(int at) {
    assert(at != 0);
    return at;
}

static int new_part(int at) {
    assert(at != NEW_FAILS_AT);
    return at;
}

static void *run_old(void *arg) {
    old_part(atomic_fetch_add(&turn, 1));
    return arg;
}

static void *run_new(void *arg) {
    new_part(atomic_fetch_add(&turn, 1));
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run_old, 0);
    pthread_create(&b, 0, run_new, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
