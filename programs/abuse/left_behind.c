// Leaves files, descriptors and mappings behind in every run, and would notice those of the run before.
// gabion: verdict=partial
// gabion: args=--preempt sync
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static atomic_int x;

static void *work(void *arg) {
    char name[] = "/tmp/gabion-left-XXXXXX";
    atomic_fetch_add(&x, 1);
    int fd = mkstemp(name);
    if (fd < 0 || fd > 64)
        exit(2);
    if (write(fd, name, sizeof name) != sizeof name)
        exit(3);
    unlink(name);
    if (mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
        exit(4);
    atomic_fetch_add(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
