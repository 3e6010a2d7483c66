// A timed wait on a semaphore that somebody will surely post in time.
// gabion: verdict=bug kind=assertion
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t sem;

static void *work(void *arg) {
    sem_post(&sem);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec until;
    sem_init(&sem, 0, 0);
    pthread_create(&t, NULL, work, NULL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    assert(sem_timedwait(&sem, &until) == 0);
    pthread_join(t, NULL);
    return 0;
}
