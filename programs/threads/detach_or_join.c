// A thread is detached while another joins it: it may be gone by then.
// gabion: verdict=bug kind=use-after-free native=no
#include <pthread.h>

static pthread_t worker;

static void *work(void *arg) { return arg; }

static void *let_go(void *arg) {
    pthread_detach(worker);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&worker, 0, work, 0);
    pthread_create(&other, 0, let_go, 0);
    pthread_join(worker, 0);
    pthread_join(other, 0);
    return 0;
}
