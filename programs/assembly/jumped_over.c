// A prefix that a label separates from its instruction: whoever jumps to the label comes without it. That is not taken apart, and not verified.
// gabion: verdict=partial caveat=inline-assembly
// gabion: compilers=gcc,clang
#include <pthread.h>

static int one_processor = 1, counter;

static void *add(void *unused) {
    __asm__ __volatile__("testl %1, %1\n\t"
                         "jnz 1f\n\t"
                         "lock\n"
                         "1:\tincl %0"
                         : "+m"(counter)
                         : "r"(one_processor)
                         : "cc");
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, add, NULL);
    add(NULL);
    pthread_join(other, NULL);
    return 0;
}
