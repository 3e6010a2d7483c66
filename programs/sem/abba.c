// Two semaphores that are used as locks, in opposite order: it is told where each was taken.
// gabion: verdict=bug kind=deadlock took=FIRST took=SECOND
#include <pthread.h>
#include <semaphore.h>

static sem_t a, b;

static void *ab(void *arg) {
    sem_wait(&a); // FIRST
    sem_wait(&b);
    sem_post(&b);
    sem_post(&a);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&a, 0, 1);
    sem_init(&b, 0, 1);
    pthread_create(&t, NULL, ab, NULL);
    sem_wait(&b); // SECOND
    sem_wait(&a);
    sem_post(&a);
    sem_post(&b);
    pthread_join(t, NULL);
    return 0;
}
