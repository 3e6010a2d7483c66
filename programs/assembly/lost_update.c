// One instruction without `lock` adds to memory: another processor's store can come between its load and its store.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static long counter;

static void *add(void *unused) {
    __asm__ __volatile__("incq %0" : "+m"(counter) : : "cc");
    return unused;
}

int main(void) {
    pthread_t other;
    long now;
    pthread_create(&other, NULL, add, NULL);
    add(NULL);
    pthread_join(other, NULL);
    __asm__ __volatile__("movq %1, %0" : "=r"(now) : "m"(counter));
    assert(now == 2); // HERE
    return 0;
}
