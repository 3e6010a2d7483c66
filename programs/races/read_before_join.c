// The result is read before the thread is joined.
// gabion: verdict=verified races=A-B
// gabion: compilers=gcc,clang
#include <pthread.h>

static int data;
int got;

static void *work(void *arg) {
    data++; // @A
    return arg;
}

int main(void) {
    pthread_t other;
    data = 1;
    pthread_create(&other, NULL, work, NULL);
    got = data; // @B
    pthread_join(other, NULL);
    return 0;
}
