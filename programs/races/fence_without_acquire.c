// No acquire fence after the relaxed load.
// gabion: verdict=verified races=A-B
// gabion: would-order="the load of flag by T0 (main) at @LOAD (relaxed) would have to be acquire: then"
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

int got;
static int data;
static atomic_int flag;

static void *writer(void *arg) {
    data = 1; // @A
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}

static void reader(void) {
    if (atomic_load_explicit(&flag, memory_order_relaxed)) { // @LOAD
        got = data; // @B
    }
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, writer, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
