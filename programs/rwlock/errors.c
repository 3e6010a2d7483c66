// What is refused, and when: clocks and deadlines even where there is no need to wait.
// gabion: verdict=verified
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER, held = PTHREAD_RWLOCK_INITIALIZER;

static void *work(void *arg) {
    struct timespec bad = {0, 2000000000}, past = {1, 0};
    assert(pthread_rwlock_timedrdlock(&lock, &bad) == EINVAL);
    assert(pthread_rwlock_timedwrlock(&lock, &bad) == EINVAL);
    assert(pthread_rwlock_clockrdlock(&lock, CLOCK_BOOTTIME, &past) == EINVAL);
    assert(pthread_rwlock_clockwrlock(&lock, CLOCK_BOOTTIME, &past) == EINVAL);
    assert(pthread_rwlock_clockrdlock(&held, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    assert(pthread_rwlock_clockwrlock(&held, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    assert(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past) == 0);
    assert(pthread_rwlock_clockrdlock(&lock, CLOCK_REALTIME, &past) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &past) == 0);
    assert(pthread_rwlock_timedrdlock(&lock, &past) == EDEADLK);
    assert(pthread_rwlock_unlock(&lock) == 0);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_rwlock_wrlock(&held);
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    pthread_rwlock_unlock(&held);
    return 0;
}
