// The same, looked up behind the program and by a version.
// gabion: verdict=partial caveat=unmodelled-call
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>

static long (*decode)(const char *);

static void *work(void *argument) {
    assert(decode("1") == 3);
    return argument;
}

int main(void) {
    decode = (long (*)(const char *))dlvsym(RTLD_NEXT, "a64l", "GLIBC_2.2.5");
    assert(decode);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
