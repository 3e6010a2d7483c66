// A state that is none is refused as by the C library.
// gabion: verdict=verified
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static void *work(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    errno = 0;
    assert(!setstate(NULL));
    assert(errno == EINVAL);
    pthread_join(thread, NULL);
    return 0;
}
