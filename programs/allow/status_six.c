// A status that says that all is well is no finding.
// gabion: verdict=verified
// gabion: args=--exit-status 0,6
// gabion: native=no
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first;

static void *work(void *arg) {
    int none = 0;
    atomic_compare_exchange_strong(&first, &none, 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int none = 0;
    int mine = atomic_compare_exchange_strong(&first, &none, 2);
    pthread_join(thread, 0);
    return mine ? 6 : 0;
}
