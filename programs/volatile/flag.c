// A volatile flag, read once: both values are fine. One operation each: C(2,1) = 2.
// gabion: verdict=verified runs=2
// gabion: compilers=gcc,clang
#include <pthread.h>

static volatile int flag;

static void *work(void *arg) {
    flag = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    int seen = flag;
    pthread_join(t, NULL);
    return seen > 1;
}
