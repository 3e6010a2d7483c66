// What dlsym gives is harmless, or modelled, or never called: nothing can be hidden.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

static int (*absolute)(int);
static int (*lock)(pthread_mutex_t *), (*unlock)(pthread_mutex_t *);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *work(void *argument) {
    lock(&mutex);
    shared += absolute(-1);
    unlock(&mutex);
    return argument;
}

int main(void) {
    absolute = (int (*)(int))dlsym(RTLD_DEFAULT, "abs");
    lock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
    unlock = (int (*)(pthread_mutex_t *))dlsym(RTLD_DEFAULT, "pthread_mutex_unlock");
    assert(absolute && lock && unlock);
    assert(dlsym(RTLD_DEFAULT, "a64l") && dlsym(RTLD_DEFAULT, "pthread_mutexattr_init"));
    assert(!dlsym(RTLD_DEFAULT, "no_such_function") && dlerror());
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    assert(shared == 2);
    return 0;
}
