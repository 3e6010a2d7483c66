// Two bytes next to each other are two memory locations.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>

static char bytes[2];

static void *work(void *arg) {
    bytes[0] = 1;
    return arg;
}

static void other_work(void) {
    bytes[1] = 1;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    other_work();
    pthread_join(other, NULL);
    return 0;
}
