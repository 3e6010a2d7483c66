// As deep_for.c: tries to exchange what is not there yet.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int flag;

static void *writer(void *arg) {
    atomic_store(&flag, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    int seen = 0;
    pthread_create(&t, NULL, writer, NULL);
    for (int i = 0; i < 60; i++) {
        int expected = 1;
        seen += atomic_compare_exchange_strong(&flag, &expected, 1);
    }
    pthread_join(t, NULL);
    assert(seen != 31); // HERE
    return 0;
}
