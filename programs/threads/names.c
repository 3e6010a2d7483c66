// Names and affinity are accepted and do no harm.
// gabion: verdict=verified
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

static void *work(void *arg) {
    char name[16] = "";
    assert(pthread_setname_np(pthread_self(), "worker") == 0);
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    assert(strcmp(name, "worker") == 0);
    return arg;
}

int main(void) {
    pthread_t t;
    cpu_set_t set;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    CPU_ZERO(&set);
    assert(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0);
    assert(CPU_COUNT(&set) > 0);
    assert(pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0);
    return 0;
}
