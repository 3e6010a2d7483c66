// Creates threads until that fails, then uses the handle it never got.
// gabion: verdict=any
// gabion: args=--preempt sync --max-runs 2
// gabion: native=no
#include <pthread.h>
#include <semaphore.h>

static sem_t never;

static void *work(void *arg) {
    sem_wait(&never);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&never, 0, 0);
    for (int i = 0; i < 100000; i++)
        if (pthread_create(&t, NULL, work, NULL))
            return 0;
    return 0;
}
