// The time of day is another once the other thread has changed the zone in the environment.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *work(void *arg) {
    setenv("TZ", "EST5", 1);
    return arg;
}

int main(void) {
    pthread_t other;
    struct tm noon = {.tm_year = 70, .tm_mday = 1, .tm_hour = 12};
    setenv("TZ", "UTC0", 1);
    pthread_create(&other, 0, work, 0);
    time_t when = mktime(&noon);
    pthread_join(other, 0);
    assert(when == 12 * 3600);
    return 0;
}
