// A loop that counts in a register of its own and looks at memory in every round: it is no loop that waits, and it ends.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static int flag;

static void *set(void *unused) {
    __asm__ __volatile__("movl $1, %0" : "=m"(flag) : : "memory");
    return unused;
}

int main(void) {
    pthread_t other;
    int left = 5, seen = 0;
    pthread_create(&other, NULL, set, NULL);
    __asm__ __volatile__("1:\tmovl %2, %0\n\t"
                         "testl %0, %0\n\t"
                         "jnz 2f\n\t"
                         "decl %1\n\t"
                         "jnz 1b\n"
                         "2:"
                         : "+r"(seen), "+r"(left)
                         : "m"(flag)
                         : "memory", "cc");
    pthread_join(other, NULL);
    assert(seen || left == 0);
    return 0;
}
