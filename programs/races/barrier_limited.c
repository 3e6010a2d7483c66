// Two threads fill their own part, meet, and read the other's.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
// gabion: args=--hb limited
#include <pthread.h>

static pthread_barrier_t barrier;
static int left, right;
int got[2];

static void *work(void *arg) {
    left = 1;
    pthread_barrier_wait(&barrier);
    got[0] = right;
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&other, NULL, work, NULL);
    right = 1;
    pthread_barrier_wait(&barrier);
    got[1] = left;
    pthread_join(other, NULL);
    return 0;
}
