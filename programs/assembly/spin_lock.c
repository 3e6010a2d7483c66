// A spin lock as old code has it: a locked decrement, and a loop that looks until the byte is free.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static signed char lock = 1;
static int counter;

static void take(void) {
    __asm__ __volatile__("1:\tlock; decb %0\n\t"
                         "jns 3f\n"
                         "2:\tpause\n\t"
                         "cmpb $0, %0\n\t"
                         "jle 2b\n\t"
                         "jmp 1b\n"
                         "3:"
                         : "+m"(lock)
                         :
                         : "memory", "cc");
}

static void give(void) {
    __asm__ __volatile__("movb $1, %0" : "=m"(lock) : : "memory");
}

static void *work(void *unused) {
    take();
    counter++;
    give();
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    assert(counter == 2);
    return 0;
}
