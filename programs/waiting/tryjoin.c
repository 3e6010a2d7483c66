// A thread's end that is polled.
// gabion: verdict=complete
// gabion: args=--preempt sync
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static int data;

static void *work(void *arg) {
    data = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    while (pthread_tryjoin_np(t, NULL))
        sched_yield();
    assert(data == 1);
    return 0;
}
