// As deep_for.c, with a counter that doubles, in a do loop.
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
    unsigned long pause = 1;
    do {
        seen += atomic_load(&flag);
    } while ((pause *= 2) < 1ul << 40);
    pthread_join(t, NULL);
    assert(seen != 11); // HERE
    return 0;
}
