// Random numbers are the same in every run: the number of interleavings depends on them.
// gabion: verdict=complete
// gabion: args=--preempt sync
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>

static atomic_int x;

static void *work(void *arg) {
    unsigned char byte = 0;
    if (getrandom(&byte, 1, 0) != 1)
        abort();
    if (byte & 1)
        atomic_fetch_add(&x, 1);
    if (rand() & 1)
        atomic_fetch_add(&x, 1);
    if (random() & 1)
        atomic_fetch_add(&x, 1);
    if (getentropy(&byte, 1) != 0)
        abort();
    if (byte & 1)
        atomic_fetch_add(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    atomic_fetch_add(&x, 1);
    pthread_join(t, NULL);
    return 0;
}
