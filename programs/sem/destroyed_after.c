// The same, after the thread was let go.
// gabion: verdict=verified
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
    sem_post(&sem);
    pthread_join(t, NULL);
    sem_destroy(&sem);
    return 0;
}
