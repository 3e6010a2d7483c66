// What a thread uses is written after its creation.
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
    pthread_create(&other, NULL, work, NULL);
    data = 1; // @B
    pthread_join(other, NULL);
    return 0;
}
