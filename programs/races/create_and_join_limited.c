// Data are handed to a thread at its creation and back at its end.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
// gabion: args=--hb limited
#include <pthread.h>

static int data;
int got;

static void *work(void *arg) {
    data++;
    return arg;
}

int main(void) {
    pthread_t other;
    data = 1;
    pthread_create(&other, NULL, work, NULL);
    pthread_join(other, NULL);
    got = data;
    return 0;
}
