// A call about a thread gets no place for its result.
// gabion: verdict=bug kind=segfault location=HERE
// gabion: native=no
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_getcpuclockid(pthread_self(), NULL); // HERE
    pthread_join(t, NULL);
    return 0;
}
