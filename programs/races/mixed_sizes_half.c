// A message whose flag is written whole and read by half: the release orders, whatever the sizes.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdint.h>

int got;
static int data;
static union {
    uint64_t whole;
    uint32_t half[2];
} flag;

static void *writer(void *arg) {
    data = 1;
    __atomic_store_n(&flag.whole, UINT64_C(1) << 32, __ATOMIC_RELEASE);
    return arg;
}

static void reader(void) {
    if (__atomic_load_n(&flag.half[1], __ATOMIC_ACQUIRE))
        got = data;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, writer, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
