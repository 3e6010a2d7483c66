// Fences around relaxed accesses hand data over.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

int got;
static int data;
static atomic_int flag;

static void *writer(void *arg) {
    data = 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}

static void reader(void) {
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        got = data;
    }
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, writer, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
