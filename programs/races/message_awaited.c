// A message whose reader spins until it is there.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

int got;
static int data;
static atomic_int flag;

static void *writer(void *arg) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}

static void reader(void) {
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        ;
    got = data;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, writer, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
