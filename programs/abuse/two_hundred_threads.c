// Two hundred threads alive at once.
// gabion: verdict=partial runs=5
// gabion: args=--preempt sync --max-runs 5
#include <pthread.h>
#include <semaphore.h>

static sem_t go;

static void *work(void *arg) {
    sem_wait(&go);
    return arg;
}

int main(void) {
    pthread_t t[200];
    sem_init(&go, 0, 0);
    for (int i = 0; i < 200; i++)
        if (pthread_create(&t[i], NULL, work, NULL))
            return 1;
    for (int i = 0; i < 200; i++)
        sem_post(&go);
    for (int i = 0; i < 200; i++)
        pthread_join(t[i], NULL);
    return 0;
}
