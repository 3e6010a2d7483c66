// A thread polls the clock until a day has passed: the time is all that tells rounds apart.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <sched.h>
#include <time.h>

static void *work(void *unused) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (time_t end = now.tv_sec + 24 * 3600; now.tv_sec < end;) {
        sched_yield();
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
