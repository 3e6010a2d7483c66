// A ticket lock whose holder forgets to call the next: that one waits for ever.
// gabion: verdict=bug kind=livelock location=HERE message=serving
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int next, serving;

static void *work(void *arg) {
    int mine = atomic_fetch_add(&next, 1);
    while (atomic_load(&serving) != mine) // HERE
        sched_yield();
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
