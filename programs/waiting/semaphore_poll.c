// A semaphore that is polled, with sleep in between.
// gabion: verdict=complete
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t ready;
static int data;

static void *work(void *arg) {
    data = 1;
    sem_post(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, work, NULL);
    while (sem_trywait(&ready) != 0)
        usleep(100);
    assert(data == 1);
    pthread_join(t, NULL);
    return 0;
}
