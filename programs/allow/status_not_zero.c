// The same program: 0 is not among the statuses that say that all is well.
// gabion: verdict=bug kind=exit
// gabion: args=--exit-status 6
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
