// State of the kernel that two raw calls share.
// gabion: verdict=partial caveat=unmodelled-system-call
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *twice(void *unused) {
    syscall(SYS_umask, 022);
    assert(syscall(SYS_umask, 022) == 022);
    return unused;
}

static void *once(void *unused) {
    syscall(SYS_umask, 077);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, twice, NULL);
    pthread_create(&b, NULL, once, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
