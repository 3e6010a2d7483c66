// Waits for a flag that nobody sets: no thread is stuck in a call, and none gets anywhere.
// gabion: verdict=bug kind=livelock location=HERE message=flag
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag, other;

static void *writer(void *arg) {
    other = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    while (!flag) // HERE
        sched_yield();
    pthread_join(t, NULL);
    return 0;
}
