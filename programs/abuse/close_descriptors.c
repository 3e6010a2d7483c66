// Closes every descriptor, also those that are not its own, then works on.
// gabion: verdict=partial
// gabion: args=--preempt sync
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int x;

static void *work(void *arg) {
    atomic_fetch_add(&x, 1);
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
    atomic_fetch_add(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
