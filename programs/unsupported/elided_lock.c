// Prefixes that ask for a lock to be elided mean nothing but speed: nothing is refused.
// gabion: verdict=verified races=none
// gabion: args=--cflags -mhle
#include <immintrin.h>
#include <pthread.h>

static int lock, counter;

static void *work(void *arg) {
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE | __ATOMIC_HLE_ACQUIRE))
        _mm_pause();
    counter++;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE | __ATOMIC_HLE_RELEASE);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return counter != 2;
}
