// The address of a function that gabion does not model, told from another place.
// gabion: verdict=error message="not supported: eventfd, called at"
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>

static char *volatile beside = (char *)eventfd + 16;

static void *work(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    int (*make)(unsigned, int);
    pthread_create(&thread, NULL, work, NULL);
    make = (int (*)(unsigned, int))(uintptr_t)(beside - 16);
    make(0, 0);
    pthread_join(thread, NULL);
    return 0;
}
