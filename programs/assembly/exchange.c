// A spin lock that is nothing but `xchg`: each round writes what is there already.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static int lock, counter;

static void take(void) {
    int found = 1;
    do
        __asm__ __volatile__("xchgl %0, %1" : "+r"(found), "+m"(lock) : : "memory");
    while (found);
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
