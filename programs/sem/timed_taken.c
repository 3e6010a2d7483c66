// Five timed waits at one place, each of which finds the semaphore posted: no time limit comes, so none of them is taken to
// wait for somebody else.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#define ITEMS 6

static sem_t sem;
static atomic_int taken;

static void *work(void *arg) {
    const struct timespec until = {1, 0};
    for (int i = 0; i < ITEMS && sem_timedwait(&sem, &until) == 0; i++)
        taken = i + 1;
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&sem, 0, ITEMS);
    pthread_create(&t, NULL, work, NULL);
    assert(taken != 5);
    pthread_join(t, NULL);
    return 0;
}
