// gabion: verdict=complete runs=48 compilers=gcc,clang
// gabion: args=--preempt sync
// Each of three threads chooses and writes in one step: 3! orders of 2 * 2 * 2 values, each run once.
#include <gabion.h>
#include <pthread.h>

static int last;

static void *work(void *unused) {
    last = gabion_choose(2);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return 0;
}
