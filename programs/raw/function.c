// `syscall` in every thread: on a stack of gabion's, one in a variable and one in the heap.
// gabion: verdict=verified
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SIZE = 1 << 17 };
static char stack[SIZE] __attribute__((aligned(4096)));

static void *work(void *arg) {
    assert(syscall(SYS_getuid) == getuid());
    assert(syscall(SYS_getppid) > 0);
    return arg;
}

int main(void) {
    pthread_t plain, own[2];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_create(&plain, 0, work, 0);
    pthread_attr_setstack(&attributes, stack, SIZE);
    pthread_create(&own[0], &attributes, work, 0);
    pthread_attr_setstack(&attributes, aligned_alloc(4096, SIZE), SIZE);
    pthread_create(&own[1], &attributes, work, 0);
    pthread_join(plain, 0);
    pthread_join(own[0], 0);
    pthread_join(own[1], 0);
    return 0;
}
