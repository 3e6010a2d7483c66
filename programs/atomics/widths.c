// Atomic operations of 8, 16, 32 and 64 bits, C11.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static _Atomic uint8_t a = 255;
static _Atomic uint16_t b = 65535;
static _Atomic uint32_t c = UINT32_MAX;
static _Atomic uint64_t d = UINT64_MAX;

static void *work(void *arg) {
    atomic_fetch_add(&a, 2);
    atomic_fetch_sub(&b, 1);
    atomic_fetch_xor(&c, 15);
    atomic_fetch_and(&d, 255);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    atomic_fetch_add(&a, 3);
    atomic_fetch_sub(&b, 1);
    atomic_fetch_xor(&c, 240);
    atomic_fetch_and(&d, 511);
    pthread_join(t, NULL);
    assert(a == 4 && b == 65533 && c == UINT32_MAX - 255 && d == 255);
    return 0;
}
