// Detached threads that wait for ever are still there when main returns.
// gabion: verdict=complete|verified
// gabion: args=--preempt sync
#include <pthread.h>
#include <semaphore.h>

static sem_t never;

static void *waits(void *arg) {
    sem_wait(&never);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&never, 0, 0);
    for (int i = 0; i < 3; i++) {
        pthread_create(&t, NULL, waits, NULL);
        pthread_detach(t);
    }
    return 0;
}
