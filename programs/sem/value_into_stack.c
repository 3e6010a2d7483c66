// A semaphore's value goes to another thread's variable, which that thread reads at the same time.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t sem;

static void *ask(void *value) {
    sem_getvalue(&sem, value);
    return 0;
}

int main(void) {
    volatile int value = 0;
    pthread_t other;
    sem_init(&sem, 0, 7);
    pthread_create(&other, 0, ask, (void *)&value);
    assert(value == 0);
    pthread_join(other, 0);
    return 0;
}
