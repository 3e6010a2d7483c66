// Two threads increment a counter without a lock, and nobody looks.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
// gabion: args=--races ignore
#include <pthread.h>

static int counter;

static void *work(void *arg) {
    counter++;
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    return 0;
}
