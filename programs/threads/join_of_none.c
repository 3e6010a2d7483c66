// A call gets the handle of a thread that never was.
// gabion: verdict=bug kind=segfault message="handle of no thread" location=HERE
// gabion: native=no
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>

pthread_t never;
cpu_set_t set;

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    pthread_join((pthread_t)0x12345678, 0); // HERE
    pthread_join(other, 0);
    return 0;
}
