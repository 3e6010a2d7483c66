// The waiter owns the word and frees it when it has its value; the wake that follows uses the address only.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *wait_for(void *arg) {
    atomic_int *word = arg;
    while (!atomic_load(word))
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    free(word);
    return NULL;
}

int main(void) {
    atomic_int *word = calloc(1, sizeof *word);
    pthread_t t;
    pthread_create(&t, NULL, wait_for, word);
    atomic_store(word, 1);
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    pthread_join(t, NULL);
    return 0;
}
