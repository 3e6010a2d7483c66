// What is refused, and when: clocks and deadlines even where there is no need to wait.
// gabion: verdict=verified
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t sem;

static void *work(void *arg) {
    struct timespec bad = {0, 2000000000}, past = {1, 0};
    int value;
    assert(sem_timedwait(&sem, &bad) == -1 && errno == EINVAL);
    assert(sem_clockwait(&sem, CLOCK_BOOTTIME, &past) == -1 && errno == EINVAL);
    assert(sem_getvalue(&sem, &value) == 0 && value == 1);
    assert(sem_clockwait(&sem, CLOCK_MONOTONIC, &past) == 0);
    assert(sem_clockwait(&sem, CLOCK_MONOTONIC, &past) == -1 && errno == ETIMEDOUT);
    assert(sem_init(&sem, 0, INT_MAX) == 0);
    assert(sem_post(&sem) == -1 && errno == EOVERFLOW);
    assert(sem_init(&sem, 0, (unsigned)INT_MAX + 1) == -1 && errno == EINVAL);
    return arg;
}

int main(void) {
    pthread_t other;
    sem_init(&sem, 0, 1);
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    return 0;
}
