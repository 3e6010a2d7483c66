// A counter that is added to by an atomic and set by a plain write.
// gabion: verdict=verified races=A-B
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *work(void *arg) {
    atomic_fetch_add(&counter, 1); // @A
    return arg;
}

static void reset(void) {
    *(int *)&counter = 0; // @B
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    reset();
    pthread_join(other, NULL);
    return 0;
}
