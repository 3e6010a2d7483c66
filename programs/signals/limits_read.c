// Time limits and sets of `select` and its like are the program's memory, and what is left of the limit is written.
// gabion: verdict=bug kind=assertion location=HERE
#include <assert.h>
#include <pthread.h>
#include <sys/select.h>
#include <sys/time.h>

static struct timeval limit;

static void *waits(void *unused) {
    struct timeval own = {0, 1000};
    struct itimerval timer;
    assert(select(0, NULL, NULL, NULL, &own) == 0 && own.tv_usec == 0);
    assert(getitimer(ITIMER_REAL, &timer) == 0 && timer.it_value.tv_sec == 0);
    assert(select(0, NULL, NULL, NULL, &limit) == 0); // HERE
    return unused;
}

static void *spoils(void *unused) {
    limit.tv_sec = -1;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, waits, NULL);
    pthread_create(&b, NULL, spoils, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
