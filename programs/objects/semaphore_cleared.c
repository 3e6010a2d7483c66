// A semaphore is cleared while a thread waits.
// gabion: verdict=bug kind=lock-misuse message="written over while a thread waits" location=HERE
// gabion: native=no
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static sem_t s;

static void *await(void *arg) {
    sem_wait(&s);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&t, NULL, await, NULL);
    memset(&s, 0, sizeof s); // HERE
    sem_post(&s);
    pthread_join(t, NULL);
    return 0;
}
