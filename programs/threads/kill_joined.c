// Whether the thread is still there must be known otherwise: it may have been joined.
// gabion: verdict=bug kind=use-after-free message="which was joined before" location=HERE
// gabion: native=no
#include <pthread.h>

static pthread_t worker;

static void *work(void *arg) { return arg; }

static void *ask(void *arg) {
    pthread_kill(worker, 0); // HERE
    return arg;
}

int main(void) {
    pthread_t asking;
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&asking, NULL, ask, NULL);
    pthread_join(worker, NULL);
    pthread_join(asking, NULL);
    return 0;
}
