// Waits for a flag, but not for ever: the loop is left through the clock as well.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_int flag;

static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void *writer(void *arg) {
    atomic_store(&flag, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    long end;
    pthread_create(&t, NULL, writer, NULL);
    end = now() + 100;
    while (!atomic_load(&flag) && now() < end)
        usleep(1000);
    assert(atomic_load(&flag)); // HERE
    pthread_join(t, NULL);
    return 0;
}
