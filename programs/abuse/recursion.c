// Recursion without end, in main and (first) in a thread.
// gabion: verdict=bug kind=segfault
#include <pthread.h>

static volatile int depth;

static int down(int n) {
    volatile char frame[512];
    if (n < 0)
        return 0;
    frame[n % 512] = 1;
    depth = n;
    return down(n + 1) + frame[0];
}

static void *work(void *arg) {
    down(0);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
