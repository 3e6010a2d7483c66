// A futex by the instruction alone, and nobody wakes the thread that waits.
// gabion: verdict=bug kind=deadlock
#include <pthread.h>
#include <sys/syscall.h>

static long raw(long number, long a, long b, long c, long d) {
    long result;
    register long r10 __asm__("r10") = d;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
    return result;
}

static int ready;

static void *waker(void *arg) {
    __atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);
    raw(SYS_exit, 0, 0, 0, 0);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, waker, 0);
    while (!__atomic_load_n(&ready, __ATOMIC_SEQ_CST))
        raw(SYS_futex, (long)&ready, 0, 0, 0); // FUTEX_WAIT
    pthread_join(thread, 0);
    return 0;
}
