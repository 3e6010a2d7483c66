// Sleeping costs no real time, and the clocks move by as much as was slept.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
// gabion: native=slow
#define _DEFAULT_SOURCE
#include <assert.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double now(clockid_t clock) {
    struct timespec t;
    assert(clock_gettime(clock, &t) == 0);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(void) {
    double mono = now(CLOCK_MONOTONIC), real = now(CLOCK_REALTIME);
    time_t seconds = time(NULL);
    struct timeval tv;
    assert(sleep(3600) == 0);
    assert(now(CLOCK_MONOTONIC) - mono >= 3600);
    assert(now(CLOCK_REALTIME) - real >= 3600);
    assert(time(NULL) - seconds >= 3600);
    assert(gettimeofday(&tv, NULL) == 0 && tv.tv_sec >= seconds + 3600);
    mono = now(CLOCK_MONOTONIC);
    assert(usleep(500000) == 0);
    assert(now(CLOCK_MONOTONIC) - mono >= 0.5);
    return 0;
}
