// Waits for a flag and counts how often: never the same state, and after very many rounds the wait is guessed. That is no livelock.
// gabion: verdict=partial
// gabion: args=--max-runs 2000
#include <pthread.h>

static volatile int stop;

static void *work(void *arg) {
    volatile long rounds = 0;
    while (!stop) rounds++;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    stop = 1;
    pthread_join(t, NULL);
    return 0;
}
