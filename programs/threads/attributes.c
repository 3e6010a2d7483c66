// Attributes keep what was set, and the thread gets the stack it asked for.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

static void *deep(void *arg) {
    char large[600 * 1024];
    memset(large, 1, sizeof large);
    return (void *)(long)(large[0] + large[sizeof large - 1] + (arg != NULL));
}

int main(void) {
    pthread_attr_t attr;
    size_t size = 0;
    int state = -1;
    void *result;
    pthread_t t;
    assert(pthread_attr_init(&attr) == 0);
    assert(pthread_attr_setstacksize(&attr, 1024 * 1024) == 0);
    assert(pthread_attr_getstacksize(&attr, &size) == 0 && size == 1024 * 1024);
    assert(pthread_attr_getdetachstate(&attr, &state) == 0 && state == PTHREAD_CREATE_JOINABLE);
    assert(pthread_attr_setstacksize(&attr, 16) != 0);
    assert(pthread_create(&t, &attr, deep, NULL) == 0);
    assert(pthread_attr_destroy(&attr) == 0);
    assert(pthread_join(t, &result) == 0);
    assert((long)result == 2);
    return 0;
}
