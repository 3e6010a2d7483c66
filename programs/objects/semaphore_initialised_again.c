// A semaphore is initialised again while a thread waits; the post that follows wakes nobody.
// gabion: verdict=bug kind=lock-misuse message="initialised again while a thread waits" location=HERE
// gabion: native=no
#include <pthread.h>
#include <semaphore.h>

static sem_t s;

static void *await(void *arg) {
    sem_wait(&s);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&t, NULL, await, NULL);
    sem_init(&s, 0, 0); // HERE
    sem_post(&s);
    pthread_join(t, NULL);
    return 0;
}
