// The barrier waits for one thread too few.
// gabion: verdict=verified races=A-D,B-C
// gabion: compilers=gcc,clang
// gabion: args=--hb pure
#include <pthread.h>

static pthread_barrier_t barrier;
static int left, right;
int got[2];

static void *work(void *arg) {
    left = 1; // @A
    pthread_barrier_wait(&barrier);
    got[0] = right; // @B
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_barrier_init(&barrier, NULL, 1);
    pthread_create(&other, NULL, work, NULL);
    right = 1; // @C
    pthread_barrier_wait(&barrier);
    got[1] = left; // @D
    pthread_join(other, NULL);
    return 0;
}
