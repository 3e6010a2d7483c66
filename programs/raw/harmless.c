// Raw calls that depend on nothing that changes.
// gabion: verdict=verified
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *ask(void *unused) {
    assert(syscall(SYS_getuid) == getuid() && syscall(SYS_getppid) == getppid());
    assert(syscall(SYS_gettid) == gettid());
    assert(syscall(SYS_futex, NULL, FUTEX_WAKE, 1) == -1 && errno == EFAULT);
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, ask, NULL);
    ask(NULL);
    pthread_join(a, NULL);
    return 0;
}
