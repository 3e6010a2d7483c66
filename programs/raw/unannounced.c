// Raw system calls that gabion does not stand in for: what they read and write is unseen.
// gabion: verdict=partial caveat=unmodelled-system-call
// gabion: compilers=gcc,clang
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

static struct utsname name;

static void *ask(void *unused) {
    syscall(SYS_uname, &name);
    return unused;
}

static void *look(void *unused) {
    assert(name.sysname[0]);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, ask, NULL);
    pthread_create(&b, NULL, look, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
