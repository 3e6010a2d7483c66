// Two threads increment a counter without a lock.
// gabion: verdict=verified races=A-A
// gabion: would-order="none"
// gabion: compilers=gcc,clang
#include <pthread.h>

static int counter;

static void *work(void *arg) {
    counter++; // @A
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
