// Lines under a stream's lock are whole; one that is asked for with ftrylockfile is had or not.
// gabion: verdict=verified
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int inside;

static void *work(void *arg) {
    flockfile(stdout);
    flockfile(stdout); // may be held twice
    assert(inside++ == 0);
    putc_unlocked('x', stdout);
    inside--;
    funlockfile(stdout);
    funlockfile(stdout);
    if (ftrylockfile(stdout) == 0) {
        assert(inside++ == 0);
        inside--;
        funlockfile(stdout);
    }
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    work(0);
    pthread_join(other, 0);
    return 0;
}
