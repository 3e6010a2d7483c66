// Flags, vector registers and what lies below the stack pointer are as they were after each access.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static unsigned long low = ~0ul, high, word;
static double vector[2] = { 1.5, 2.5 };

static long below(long a, long b) {
    long sum;
    __asm__ __volatile__("movq %1, -8(%%rsp)\n\t"
                         "movq %2, -128(%%rsp)\n\t"
                         "lock; addq $1, %3\n\t"
                         "movq -8(%%rsp), %0\n\t"
                         "addq -128(%%rsp), %0"
                         : "=&r"(sum)
                         : "r"(a), "r"(b), "m"(word)
                         : "memory", "cc");
    return sum;
}

static void *work(void *unused) {
    double first;
    assert(below(40, 2) == 42);
    __asm__ __volatile__("movupd %1, %%xmm15\n\t"
                         "lock; incq %2\n\t"
                         "movsd %%xmm15, %0"
                         : "=x"(first)
                         : "m"(vector), "m"(word)
                         : "xmm15", "memory", "cc");
    assert(first == 1.5);
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    // The carry goes from one instruction to the next.
    __asm__ __volatile__("addq $1, %0\n\tadcq $0, %1" : "+m"(low), "+m"(high) : : "memory", "cc");
    assert(low == 0 && high == 1);
    work(NULL);
    pthread_join(other, NULL);
    assert(word == 4);
    return 0;
}
