// Everywhere: an increment is a read and a write, two increments each: C(8,4) = 70.
// gabion: verdict=verified runs=70
// gabion: args=--preempt everywhere --reduction none
// gabion: compilers=gcc,clang
#include <pthread.h>

static int x, y;

static void *work(void *arg) {
    x++;
    y++;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
