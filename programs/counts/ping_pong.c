// Two semaphores that hand over to each other: never more than one thread can run, 1 run.
// gabion: verdict=verified runs=1
// gabion: args=--reduction none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <semaphore.h>

static sem_t ping, pong;
static int x;

static void *work(void *arg) {
    for (int i = 0; i < 3; i++) {
        sem_wait(&ping);
        x++;
        sem_post(&pong);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 0);
    pthread_create(&t, NULL, work, NULL);
    for (int i = 0; i < 3; i++) {
        sem_post(&ping);
        sem_wait(&pong);
        x++;
    }
    pthread_join(t, NULL);
    return x - 6;
}
