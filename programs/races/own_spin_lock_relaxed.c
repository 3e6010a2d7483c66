// A spin lock made of an atomic flag that is taken with relaxed order.
// gabion: verdict=verified races=A-A
// gabion: would-order="at @TAKE (relaxed) would have to be acquire: then the "
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
static int counter;

static void *work(void *arg) {
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_relaxed)) // @TAKE
        ;
    counter++; // @A
    atomic_flag_clear_explicit(&lock, memory_order_release);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    return 0;
}
