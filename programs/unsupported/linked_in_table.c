// A function that gabion does not model is called by its address in a table; the address is the same wherever it is taken.
// gabion: verdict=error message="not supported: eventfd_read, called at"
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <sys/eventfd.h>

static int (*table[])(int, eventfd_t *) = {eventfd_read};

static void *work(void *unused) {
    eventfd_t value;
    assert(table[0] == eventfd_read);
    table[0](-1, &value);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
