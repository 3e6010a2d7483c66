// A yield is a point like any other, and always on: C(4,2) = 6.
// gabion: verdict=complete runs=6
// gabion: args=--preempt sync --reduction none
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *arg) {
    sched_yield();
    atomic_fetch_add(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
