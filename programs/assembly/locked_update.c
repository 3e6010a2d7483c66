// The same with `lock`: nothing comes between.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static long counter;

static void *add(void *unused) {
    __asm__ __volatile__("lock; incq %0" : "+m"(counter) : : "cc");
    return unused;
}

int main(void) {
    pthread_t other;
    long now;
    pthread_create(&other, NULL, add, NULL);
    add(NULL);
    pthread_join(other, NULL);
    __asm__ __volatile__("movq %1, %0" : "=r"(now) : "m"(counter));
    assert(now == 2);
    return 0;
}
