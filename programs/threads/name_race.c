// A thread's name changes while the thread asks for it.
// gabion: verdict=bug kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void *work(void *arg) {
    char name[16];
    (void)arg;
    pthread_getname_np(pthread_self(), name, sizeof name);
    assert(strcmp(name, "new") != 0);
    return 0;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, 0, work, 0);
    pthread_setname_np(worker, "new");
    pthread_join(worker, 0);
    return 0;
}
