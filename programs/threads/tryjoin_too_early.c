// The thread has done all its work, which main has seen, but it has not ended yet: tryjoin may still say EBUSY.
// So a thread's end is a visible operation with a point before it.
// gabion: verdict=bug kind=assertion location=HERE
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;

static void *work(void *arg) {
    atomic_store(&done, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    if (atomic_load(&done) == 1)
        assert(pthread_tryjoin_np(t, NULL) == 0); // HERE
    return 0;
}
