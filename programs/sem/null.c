// A thread waits for a null pointer.
// gabion: verdict=bug kind=segfault location=HERE
// gabion: native=no
#include <pthread.h>
#include <semaphore.h>

static sem_t *semaphore;

static void *work(void *arg) {
    sem_wait(semaphore); // HERE
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    return 0;
}
