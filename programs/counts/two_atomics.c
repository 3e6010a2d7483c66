// Two threads, three atomic operations each: C(6,3) = 20.
// gabion: verdict=complete runs=20
// gabion: args=--preempt sync --reduction none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *arg) {
    for (int i = 0; i < 3; i++)
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
