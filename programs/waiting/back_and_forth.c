// The flag is set and taken back: who waits may see it or miss it, and then waits for ever.
// gabion: verdict=bug kind=livelock location=HERE
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;

static void *writer(void *arg) {
    atomic_store(&flag, 1);
    atomic_store(&flag, 0);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    while (!atomic_load(&flag)) // HERE
        sched_yield();
    pthread_join(t, NULL);
    return 0;
}
