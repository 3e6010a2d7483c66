// Each round writes what is there already, where another thread looks.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int flag;
static volatile int state;

static void *look(void *unused) {
    state = 2;
    atomic_store(&flag, 1);
    // The waiting thread may write again before it sees the flag.
    assert(state == 2); // HERE
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
