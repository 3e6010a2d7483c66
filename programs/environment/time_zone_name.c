// So do localtime and its like.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *work(void *arg) {
    struct tm broken_down;
    time_t then = 0;
    localtime_r(&then, &broken_down);
    return arg;
}

int main(void) {
    pthread_t other;
    setenv("TZ", "XYZ3", 1);
    pthread_create(&other, 0, work, 0);
    const char *name = tzname[0];
    pthread_join(other, 0);
    assert(strcmp(name, tzname[0]) == 0);
    return 0;
}
