// Two threads take a cell in the same round of a barrier.
// gabion: verdict=verified races=A-A
// gabion: compilers=gcc,clang
#include <pthread.h>

static pthread_barrier_t barrier;
static int cell;

static void work(int self) {
    for (int round = 0; round < 2; round++) {
        if (round >= self)
            cell++; // @A
        pthread_barrier_wait(&barrier);
    }
}

static void *other(void *arg) {
    work(1);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, other, NULL);
    work(0);
    pthread_join(thread, NULL);
    return 0;
}
