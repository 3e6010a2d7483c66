// A large array on the main stack and on a thread's: allowed.
// gabion: verdict=complete|verified
// gabion: args=--preempt sync
#include <pthread.h>
#include <string.h>

static void *work(void *arg) {
    volatile char large[4 << 20];
    large[0] = 1;
    large[sizeof large - 1] = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
