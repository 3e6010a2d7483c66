// The same with `lock cmpxchg`, which leaves the word as it is until it is free.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static int lock, counter;

static void take(void) {
    int found;
    do {
        found = 0;
        __asm__ __volatile__("lock; cmpxchgl %2, %1" : "+a"(found), "+m"(lock) : "r"(1) : "memory", "cc");
    } while (found);
}

static void give(void) {
    __asm__ __volatile__("movl $0, %0" : "=m"(lock) : : "memory");
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
