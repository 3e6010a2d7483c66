// A thread is detached while another joins it: the join finds it joinable or not.
// gabion: verdict=verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_t worker;

static void *work(void *arg) { return arg; }

static void *let_go(void *arg) {
    int result = pthread_detach(worker);
    assert(result == 0 || result == ESRCH);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&worker, 0, work, 0);
    pthread_create(&other, 0, let_go, 0);
    int result = pthread_join(worker, 0);
    assert(result == 0 || result == EINVAL || result == ESRCH);
    pthread_join(other, 0);
    return 0;
}
