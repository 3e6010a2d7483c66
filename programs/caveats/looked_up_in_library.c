// Locks are looked up in the C library itself; they are the modelled ones all the same.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>

static int (*lock)(pthread_mutex_t *), (*unlock)(pthread_mutex_t *);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *work(void *argument) {
    lock(&mutex);
    int seen = shared;
    unlock(&mutex);
    lock(&mutex);
    shared = seen + 1;
    unlock(&mutex);
    return argument;
}

int main(void) {
    void *library = dlopen("libc.so.6", RTLD_NOW);
    lock = (int (*)(pthread_mutex_t *))dlsym(library, "pthread_mutex_lock");
    unlock = (int (*)(pthread_mutex_t *))dlsym(library, "pthread_mutex_unlock");
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    assert(shared == 2);
    return 0;
}
