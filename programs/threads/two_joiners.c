// Of two threads that join a third, one is told that there is nothing to join.
// gabion: verdict=verified native=no
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_t worker;

static void *work(void *arg) { return arg; }

static void *collect(void *arg) {
    (void)arg;
    return (void *)(long)pthread_join(worker, 0);
}

int main(void) {
    pthread_t other;
    void *theirs;
    pthread_create(&worker, 0, work, 0);
    pthread_create(&other, 0, collect, 0);
    int mine = pthread_join(worker, 0);
    pthread_join(other, &theirs);
    assert((mine == 0) != (theirs == 0));
    assert(mine == 0 || mine == ESRCH || mine == EINVAL);
    return 0;
}
