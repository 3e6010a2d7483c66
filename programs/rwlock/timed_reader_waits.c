// And a reader that waits for a while gives up.
// gabion: verdict=bug kind=assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static struct timespec soon;

static void *write_it(void *arg) {
    if (pthread_rwlock_timedwrlock(&lock, &soon) == 0) pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec += 5;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&t, NULL, write_it, NULL);
    assert(pthread_rwlock_timedrdlock(&lock, &soon) == 0);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
