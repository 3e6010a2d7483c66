// Of two threads that join a third, the second has a handle of nothing.
// gabion: verdict=bug kind=use-after-free message="which was joined before" native=no
#include <pthread.h>

static pthread_t worker;

static void *work(void *arg) { return arg; }

static void *collect(void *arg) {
    (void)arg;
    return (void *)(long)pthread_join(worker, 0);
}

int main(void) {
    pthread_t other;
    pthread_create(&worker, 0, work, 0);
    pthread_create(&other, 0, collect, 0);
    pthread_join(worker, 0);
    pthread_join(other, 0);
    return 0;
}
