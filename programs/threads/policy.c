// A thread's policy is changed by another one.
// gabion: verdict=bug kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_t first_thread;

static void *change(void *arg) {
    struct sched_param parameters = {0};
    pthread_setschedparam(first_thread, SCHED_BATCH, &parameters);
    return arg;
}

int main(void) {
    pthread_t t;
    int before, after;
    struct sched_param parameters;
    first_thread = pthread_self();
    pthread_create(&t, NULL, change, NULL);
    pthread_getschedparam(first_thread, &before, &parameters);
    pthread_getschedparam(first_thread, &after, &parameters);
    pthread_join(t, NULL);
    assert(before == after);
    return 0;
}
