// A message whose flag is read by a relaxed load.
// gabion: verdict=verified races=A-B
// gabion: would-order="the load of flag by T0 (main) at @LOAD (relaxed) would have to be acquire: then the write by T1 (writer) comes before the read by T0 (main)"
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

int got;
static int data;
static atomic_int flag;

static void *writer(void *arg) {
    data = 1; // @A
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}

static void reader(void) {
    if (atomic_load_explicit(&flag, memory_order_relaxed)) // @LOAD
        got = data; // @B
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, writer, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
