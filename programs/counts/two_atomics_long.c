// Two threads, seven atomic operations each: C(14,7) = 3432.
// gabion: verdict=complete runs=3432
// gabion: args=--preempt sync --reduction none
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *arg) {
    for (int i = 0; i < 7; i++)
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
