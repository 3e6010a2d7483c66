// A spin lock that is looked at and then taken: two threads may both find it free.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static int lock, counter;

static void take(void) {
    int found;
    do {
        __asm__ __volatile__("movl %1, %0" : "=r"(found) : "m"(lock) : "memory");
    } while (found);
    __asm__ __volatile__("xchgl %0, %1" : "+r"((int){ 1 }), "+m"(lock) : : "memory");
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
    assert(counter == 2); // HERE
    return 0;
}
