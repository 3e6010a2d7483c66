// A relaxed store of another thread ends a release sequence.
// gabion: verdict=verified races=A-B
// gabion: would-order="the load of flag by T2 (between) at @LOAD (relaxed) would have to be acquire, and the store to flag by T2 (between) at @STORE (relaxed) release: then the write by T1 (writer) comes before the read by T0 (main)"
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;
int got;

static void *writer(void *arg) {
    data = 1; // @A
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}

static void *between(void *arg) {
    if (atomic_load_explicit(&flag, memory_order_relaxed) == 1) // @LOAD
        atomic_store_explicit(&flag, 2, memory_order_relaxed); // @STORE
    return arg;
}

static void reader(void) {
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
        got = data; // @B
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, between, NULL);
    reader();
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
