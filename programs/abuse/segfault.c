// A null pointer in a thread.
// gabion: verdict=bug kind=segfault location=HERE
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <pthread.h>

static int *volatile nowhere;

static void *work(void *arg) {
    *nowhere = 1; // HERE
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
