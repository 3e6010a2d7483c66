// A relaxed store of the same thread continues its release sequence (C11).
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;
int got;

static void *writer(void *arg) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    atomic_store_explicit(&flag, 2, memory_order_relaxed);
    return arg;
}

static void reader(void) {
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
        got = data;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, writer, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
