// As flag_yield.c, but the flag is set before the data are there.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *writer(void *arg) {
    flag = 1;
    data = 42;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    while (!flag)
        sched_yield();
    assert(data == 42); // HERE
    pthread_join(t, NULL);
    return 0;
}
