// A ticket lock: `lock xadd` takes a number, and a loop in C waits until it is called.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static unsigned next, serving;
static int counter;

static void take(void) {
    unsigned mine = 1, now;
    __asm__ __volatile__("lock\n\txaddl %0, %1" : "+r"(mine), "+m"(next) : : "memory", "cc");
    do {
        __asm__ __volatile__("pause" : : : "memory");
        __asm__ __volatile__("mov %1, %0" : "=r"(now) : "m"(serving) : "memory");
    } while (now != mine);
}

static void give(void) {
    __asm__ __volatile__("addl $1, %0" : "+m"(serving) : : "memory", "cc");
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
