// sem_trywait, sem_timedwait, sem_getvalue and their error codes.
// gabion: verdict=verified runs=1
#include <assert.h>
#include <errno.h>
#include <semaphore.h>
#include <time.h>

int main(void) {
    sem_t sem;
    int value = -1;
    struct timespec until;
    sem_init(&sem, 0, 1);
    assert(sem_getvalue(&sem, &value) == 0 && value == 1);
    assert(sem_trywait(&sem) == 0);
    assert(sem_trywait(&sem) == -1 && errno == EAGAIN);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    assert(sem_timedwait(&sem, &until) == -1 && errno == ETIMEDOUT);
    sem_post(&sem);
    sem_post(&sem);
    assert(sem_getvalue(&sem, &value) == 0 && value == 2);
    assert(sem_timedwait(&sem, &until) == 0);
    assert(sem_wait(&sem) == 0);
    return 0;
}
