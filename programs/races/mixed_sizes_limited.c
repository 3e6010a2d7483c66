// Two atomic accesses do not race with each other, whatever their sizes; under limited happens-before they do not order
// either.
// gabion: verdict=verified races=A-B
// gabion: compilers=gcc,clang
// gabion: args=--hb limited
#include <pthread.h>
#include <stdint.h>

int got;
static int data;
static union {
    uint64_t whole;
    uint32_t half[2];
} flag;

static void *writer(void *arg) {
    data = 1; // @A
    __atomic_store_n(&flag.whole, UINT64_C(1) << 32, __ATOMIC_RELEASE);
    return arg;
}

static void reader(void) {
    if (__atomic_load_n(&flag.half[1], __ATOMIC_ACQUIRE))
        got = data; // @B
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, writer, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
