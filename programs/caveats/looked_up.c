// A function that nobody models is called by a pointer that dlsym gave.
// gabion: verdict=partial caveat=unmodelled-call
// gabion: compilers=gcc,clang
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

static long (*decode)(const char *);

static void *work(void *argument) {
    assert(decode("1") == 3);
    return argument;
}

int main(void) {
    decode = (long (*)(const char *))dlsym(RTLD_DEFAULT, "a64l");
    assert(decode);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
