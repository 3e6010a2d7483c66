// A cell changes hands in each round of a barrier.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>

static pthread_barrier_t barrier;
static int cell;

static void work(int self) {
    for (int round = 0; round < 3; round++) {
        if (round % 2 == self)
            cell++;
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
    return cell != 3;
}
