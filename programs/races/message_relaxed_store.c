// A message whose flag is set by a relaxed store.
// gabion: verdict=verified races=A-B
// gabion: would-order="the store to flag by T1 (writer) at @STORE (relaxed) would have to be release: then"
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

int got;
static int data;
static atomic_int flag;

static void *writer(void *arg) {
    data = 1; // @A
    atomic_store_explicit(&flag, 1, memory_order_relaxed); // @STORE
    return arg;
}

static void reader(void) {
    if (atomic_load_explicit(&flag, memory_order_acquire))
        got = data; // @B
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, writer, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
