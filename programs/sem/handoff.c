// A semaphore hands data over.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t full;
static int data;

static void *producer(void *arg) {
    data = 3;
    sem_post(&full);
    return arg;
}

int main(void) {
    pthread_t t;
    assert(sem_init(&full, 0, 0) == 0);
    pthread_create(&t, NULL, producer, NULL);
    assert(sem_wait(&full) == 0);
    assert(data == 3);
    pthread_join(t, NULL);
    assert(sem_destroy(&full) == 0);
    return 0;
}
