// System calls without the C library, by the instruction and by `syscall`: in both threads, deep in a stack, in a signal
// handler, in a destructor of a thread's storage, before main. `errno` stays as it was, results are the kernel's.
// gabion: verdict=partial caveat=inline-assembly
// gabion: args=--preempt sync
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long raw(long number, long a, long b, long c, long d, long e, long f) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static void every_kind(void) {
    struct timespec time = {0, 10};
    errno = 77;
    assert(raw(SYS_getuid, 0, 0, 0, 0, 0, 0) == getuid());
    assert(raw(SYS_gettid, 0, 0, 0, 0, 0, 0) == syscall(SYS_gettid));
    assert(raw(SYS_getpid, 0, 0, 0, 0, 0, 0) == getpid());
    char *page = (char *)raw(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[5] = 1;
    assert(raw(SYS_munmap, (long)page, 4096, 0, 0, 0, 0) == 0);
    assert(raw(SYS_brk, 0, 0, 0, 0, 0, 0) != 0);
    assert(raw(SYS_nanosleep, (long)&time, 0, 0, 0, 0, 0) == 0);
    assert(raw(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&time, 0, 0, 0, 0) == 0);
    assert(raw(SYS_clock_gettime, 12345, (long)&time, 0, 0, 0, 0) == -EINVAL);
    assert(raw(SYS_sched_yield, 0, 0, 0, 0, 0, 0) == 0);
    assert(raw(SYS_write, 1, (long)"x\n", 2, 0, 0, 0) == 2);
    assert(raw(SYS_close, 99999, 0, 0, 0, 0, 0) == -EBADF);
    assert(errno == 77);
    assert(syscall(SYS_close, 99999) == -1 && errno == EBADF);
    assert(syscall(SYS_getuid) == getuid());
}

static void deep(int depth) {
    volatile char room[1000];
    room[depth] = 1;
    if (depth > 0)
        deep(depth - 1);
    else
        every_kind();
}

static pthread_key_t key;

static void handle(int signal) {
    (void)signal;
    every_kind();
}

static void destroy(void *value) {
    (void)value;
    every_kind();
}

static void *work(void *arg) {
    deep(100);
    raise(SIGUSR1);
    pthread_setspecific(key, &key);
    return arg;
}

__attribute__((constructor)) static void before_main(void) { assert(raw(SYS_getuid, 0, 0, 0, 0, 0, 0) == getuid()); }

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handle);
    pthread_key_create(&key, destroy);
    pthread_create(&thread, 0, work, 0);
    every_kind();
    pthread_join(thread, 0);
    return 0;
}
