// The time limit of a raw futex wait is memory of the program's.
// gabion: verdict=bug kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct timespec limit;
static int word;

static void *wait_for_it(void *unused) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0);
    assert(errno == ETIMEDOUT);
    return unused;
}

static void *spoil(void *unused) {
    limit.tv_nsec = -1;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, wait_for_it, NULL);
    pthread_create(&b, NULL, spoil, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
