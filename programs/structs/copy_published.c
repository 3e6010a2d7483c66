// A struct is copied in one step by the writer, and read by whoever has acquired the flag: no race, so nobody can see it in parts.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair {
    long first, second, third;
};

static struct pair shared;
static atomic_int ready;

static void *writer(void *unused) {
    struct pair made = {1, 2, 3};
    shared = made;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    if (atomic_load_explicit(&ready, memory_order_acquire)) {
        struct pair seen = shared;
        assert(seen.first == 1 && seen.third == 3);
    }
    pthread_join(thread, NULL);
}
