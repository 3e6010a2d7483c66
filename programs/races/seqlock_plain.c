// A sequence lock whose data are plain: what is read and thrown away races too.
// gabion: verdict=verified races=A-C,B-D
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static int left, right;

static void *writer(void *arg) {
    atomic_store_explicit(&sequence, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    left = 1; // @A
    right = 1; // @B
    atomic_store_explicit(&sequence, 2, memory_order_release);
    return arg;
}

int a, b;

static void reader(void) {
    unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
    a = left; // @C
    b = right; // @D
    atomic_thread_fence(memory_order_acquire);
    unsigned after = atomic_load_explicit(&sequence, memory_order_relaxed);
    if (before == after && before % 2 == 0 && a != b)
        __builtin_trap();
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, writer, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
