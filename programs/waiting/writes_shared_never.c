// Each round writes what is there already, where another thread looks, and nobody ever sets the flag.
// gabion: verdict=bug kind=livelock
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int flag;
static volatile int state;

static void *look(void *unused) {
    if (state)
        state = 2;
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, look, NULL);
    do
        state = 1;
    while (!atomic_load(&flag));
    pthread_join(t, NULL);
    return 0;
}
