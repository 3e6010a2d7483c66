// A thread that makes a process with a raw system call: refused by name, with its place.
// gabion: verdict=error message="not supported: clone, called at"
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *work(void *arg) {
    (void)arg;
    return (void *)syscall(SYS_clone, 17, 0, 0, 0, 0);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
