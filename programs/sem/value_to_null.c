// The value of a semaphore is asked for without a place for it.
// gabion: verdict=bug kind=segfault location=HERE
// gabion: native=no
#include <pthread.h>
#include <semaphore.h>

static sem_t s;

static void *work(void *arg) {
    sem_getvalue(&s, NULL); // HERE
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&s, 0, 1);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
