// A semaphore is destroyed while a thread may wait for it.
// gabion: verdict=bug kind=lock-misuse message=waits
// gabion: compilers=gcc,clang
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
    sem_destroy(&sem);
    return 0;
}
