// Waits for a flag, giving way in between. Who spins waits until the flag is written.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *writer(void *arg) {
    data = 42;
    flag = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    while (!flag)
        sched_yield();
    assert(data == 42);
    pthread_join(t, NULL);
    return 0;
}
