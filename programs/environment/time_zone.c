// tzset writes variables that programs read themselves.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *work(void *arg) {
    tzset();
    return arg;
}

int main(void) {
    pthread_t other;
    setenv("TZ", "EST5", 1);
    pthread_create(&other, 0, work, 0);
    long first = timezone, second = timezone;
    pthread_join(other, 0);
    assert(first == second);
    return 0;
}
