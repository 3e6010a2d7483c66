// Four posts, four waits, never more waits than posts: the Catalan number C(8,4) / 5 = 14.
// gabion: verdict=complete runs=14
// gabion: args=--preempt sync --reduction none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <semaphore.h>

static sem_t sem;

static void *post(void *arg) {
    for (int i = 0; i < 4; i++)
        sem_post(&sem);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&sem, 0, 0);
    pthread_create(&t, NULL, post, NULL);
    for (int i = 0; i < 4; i++)
        sem_wait(&sem);
    pthread_join(t, NULL);
    return 0;
}
