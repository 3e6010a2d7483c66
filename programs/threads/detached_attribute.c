// Created detached: join says EINVAL. Main's return may end the process before the thread has run.
// gabion: verdict=verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t go;

static void *work(void *arg) {
    sem_wait(&go);
    return arg;
}

int main(void) {
    pthread_attr_t attr;
    pthread_t t;
    sem_init(&go, 0, 0);
    pthread_attr_init(&attr);
    assert(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
    assert(pthread_create(&t, &attr, work, NULL) == 0);
    assert(pthread_join(t, NULL) == EINVAL);
    sem_post(&go);
    return 0;
}
