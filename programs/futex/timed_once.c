// The twin of timed_loop: the limit is taken for an answer.
// gabion: verdict=bug kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_uint word;

static void *work(void *arg) {
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
    return arg;
}

int main(void) {
    pthread_t t;
    const struct timespec limit = {1, 0};
    pthread_create(&t, NULL, work, NULL);
    if (!atomic_load(&word))
        syscall(SYS_futex, &word, FUTEX_WAIT, 0, &limit, NULL, 0);
    assert(atomic_load(&word));
    pthread_join(t, NULL);
    return 0;
}
