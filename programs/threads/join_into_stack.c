// The result of a join goes to another thread's variable, which that thread reads at the same time.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>

static pthread_t worker;

static void *work(void *arg) {
    (void)arg;
    return (void *)9;
}

static void *collect(void *result) {
    pthread_join(worker, result);
    return 0;
}

int main(void) {
    void *volatile result = 0;
    pthread_t collector;
    pthread_create(&worker, 0, work, 0);
    pthread_create(&collector, 0, collect, (void *)&result);
    assert(result == 0);
    pthread_join(collector, 0);
    return 0;
}
