// Threads that ask for the local time, each into memory of its own, are no race.
// gabion: verdict=verified races=none
#include <assert.h>
#include <pthread.h>
#include <time.h>

static void *work(void *arg) {
    struct tm broken_down;
    time_t then = 86400;
    assert(localtime_r(&then, &broken_down));
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    work(0);
    pthread_join(other, 0);
    return 0;
}
