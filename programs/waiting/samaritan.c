// Asks for a flag again and again without ever giving way, and does something in between, so that it does not merely
// wait. On one processor the other thread may never get to run.
// gabion: verdict=bug kind=livelock message=given
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync --max-steps 2000 --good-samaritan
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, turns;

static void *writer(void *arg) {
    atomic_store(&flag, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    while (!atomic_load(&flag))
        atomic_fetch_add(&turns, 1);
    pthread_join(t, NULL);
    return 0;
}
