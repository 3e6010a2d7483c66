// A semaphore is posted after it may have been destroyed.
// gabion: verdict=bug kind=lock-misuse message="was destroyed" location=HERE
// gabion: native=no
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

static void *work(void *arg) {
    sem_post(&semaphore); // HERE
    return arg;
}

int main(void) {
    pthread_t other;
    sem_init(&semaphore, 0, 0);
    pthread_create(&other, 0, work, 0);
    sem_destroy(&semaphore);
    pthread_join(other, 0);
    return 0;
}
