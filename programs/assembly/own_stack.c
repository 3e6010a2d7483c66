// A thread waits in assembly for a variable of its own stack, of which another has the address.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(int *) published;

static void *wait(void *unused) {
    int flag = 0;
    published = &flag;
    __asm__ __volatile__("1:\tpause\n\t"
                         "cmpl $0, %0\n\t"
                         "je 1b"
                         : "+m"(flag)
                         :
                         : "memory", "cc");
    return unused;
}

int main(void) {
    pthread_t other;
    int *flag;
    pthread_create(&other, NULL, wait, NULL);
    while (!(flag = published))
        ;
    __asm__ __volatile__("movl $1, %0" : "=m"(*flag) : : "memory");
    pthread_join(other, NULL);
    return 0;
}
