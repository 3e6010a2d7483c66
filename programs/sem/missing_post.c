// Two waits, one post.
// gabion: verdict=bug kind=deadlock
// gabion: args=--preempt sync
#include <pthread.h>
#include <semaphore.h>

static sem_t sem;

static void *work(void *arg) {
    sem_wait(&sem);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&sem, 0, 0);
    pthread_create(&t, NULL, work, NULL);
    sem_post(&sem);
    sem_wait(&sem);
    pthread_join(t, NULL);
    return 0;
}
