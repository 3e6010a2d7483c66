// A detached thread may have ended when it is given its processors.
// gabion: verdict=bug kind=use-after-free message="which was detached and has ended" location=HERE
// gabion: native=no
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>

static void *work(void *arg) { return arg; }

int main(void) {
    pthread_t t;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    pthread_create(&t, NULL, work, NULL);
    pthread_detach(t);
    pthread_setaffinity_np(t, sizeof set, &set); // HERE
    return 0;
}
