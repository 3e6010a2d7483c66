// A message whose flag is set by a relaxed store, which is forbidden.
// gabion: verdict=bug kind=race location=HERE
// gabion: compilers=gcc,clang
// gabion: args=--races deny
#include <pthread.h>
#include <stdatomic.h>

int got;
static int data;
static atomic_int flag;

static void *writer(void *arg) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}

static void reader(void) {
    if (atomic_load_explicit(&flag, memory_order_acquire))
        got = data; // HERE
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, writer, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
