// A writer that waits for a while has the lock, or gives up, and readers go on.
// gabion: verdict=verified
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static struct timespec soon;
static int value;

static void *write_it(void *arg) {
    if (pthread_rwlock_timedwrlock(&lock, &soon) == 0) {
        value = 1;
        pthread_rwlock_unlock(&lock);
    }
    return arg;
}

static void *read_it(void *arg) {
    pthread_rwlock_rdlock(&lock);
    int first = value;
    assert(first == value);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t, u;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec += 5;
    pthread_create(&t, NULL, write_it, NULL);
    pthread_create(&u, NULL, read_it, NULL);
    read_it(NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
