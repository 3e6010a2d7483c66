// A run with no end of steps: every one is short.
// gabion: verdict=partial|bug
// gabion: args=--preempt sync --max-runs 3 --max-steps 10000
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *arg) {
    for (;;)
        atomic_fetch_add(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    return 0;
}
