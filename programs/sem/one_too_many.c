// The twin: a semaphore as a mutex, but it starts at 2.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t sem;
static int x;

static void *work(void *arg) {
    sem_wait(&sem);
    x++;
    sem_post(&sem);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&sem, 0, 2);
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(x == 2);
    return 0;
}
