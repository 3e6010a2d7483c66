// Names of threads: the program's at first, then the creator's; the kernel's call and the C library's agree.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static void *work(void *unused) {
    char name[16];
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strcmp(name, "boss") == 0);
    prctl(PR_SET_NAME, "worker");
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strcmp(name, "worker") == 0);
    return unused;
}

int main(void) {
    pthread_t a;
    char name[16];
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    assert(strncmp(name, program_invocation_short_name, 15) == 0);
    pthread_setname_np(pthread_self(), "boss");
    assert(sched_getscheduler(gettid()) == SCHED_OTHER);
    pthread_create(&a, NULL, work, NULL);
    pthread_join(a, NULL);
    assert(prctl(PR_GET_NAME, name) == 0 && strcmp(name, "boss") == 0);
    return 0;
}
