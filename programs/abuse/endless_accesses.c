// A step that does not end, with memory accesses inside.
// gabion: verdict=bug kind=infinite-loop
// gabion: args=--preempt sync
#include <pthread.h>

static volatile unsigned x;

static void *work(void *arg) {
    for (;;)
        x++;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
