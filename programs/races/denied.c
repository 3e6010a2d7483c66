// Two threads increment a counter without a lock, which is forbidden.
// gabion: verdict=bug kind=race location=HERE
// gabion: compilers=gcc,clang
// gabion: args=--races deny
#include <pthread.h>

static int counter;

static void *work(void *arg) {
    counter++; // HERE
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    return 0;
}
