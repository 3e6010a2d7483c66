// As backoff.c, but the lock is never released.
// gabion: verdict=bug kind=livelock
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int lock;

static void *work(void *arg) {
    for (unsigned long pause = 1; atomic_exchange(&lock, 1); pause++)
        usleep(pause);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
