// Main returns without a join; the process may end before, between and after the other's three operations: 4.
// gabion: verdict=complete runs=4
// gabion: args=--preempt sync --reduction none
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
    return 0;
}
