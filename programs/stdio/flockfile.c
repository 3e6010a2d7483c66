// Lines under a stream's lock are whole; one that is asked for with ftrylockfile is had or not.
// gabion: verdict=verified
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static FILE *file;
static int inside;

static void *work(void *arg) {
    flockfile(file);
    flockfile(file); // may be held twice
    assert(inside++ == 0);
    putc_unlocked('x', file);
    inside--;
    funlockfile(file);
    funlockfile(file);
    if (ftrylockfile(file) == 0) {
        assert(inside++ == 0);
        inside--;
        funlockfile(file);
    }
    return arg;
}

int main(void) {
    pthread_t other;
    static char buffer[64];
    file = fmemopen(buffer, sizeof buffer, "w");
    assert(file);
    pthread_create(&other, 0, work, 0);
    work(0);
    pthread_join(other, 0);
    return 0;
}
