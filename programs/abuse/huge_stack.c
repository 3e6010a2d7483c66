// An array far larger than the stack.
// gabion: verdict=bug kind=segfault
// gabion: args=--preempt sync
#include <pthread.h>

static void *work(void *arg) {
    volatile char huge[256 << 20];
    for (unsigned long i = 0; i < sizeof huge; i += 4096)
        huge[i] = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
