// A space that is larger than the limit on runs: C(20,10) = 184756.
// gabion: verdict=partial runs=50
// gabion: args=--preempt sync --max-runs 50
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *arg) {
    for (int i = 0; i < 10; i++)
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
