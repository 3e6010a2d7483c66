// The same where nobody produces: a livelock.
// gabion: verdict=bug kind=livelock
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

static _Atomic unsigned tail, other;
static unsigned tail_seen;

static void *produce(void *unused) {
    atomic_store(&other, 1);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, produce, NULL);
    while (tail_seen == 0)
        tail_seen = atomic_load(&tail);
    pthread_join(t, NULL);
    return 0;
}
