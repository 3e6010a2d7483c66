// A semaphore in zeroed memory is one of value 0 in glibc, although POSIX asks for sem_init.
// gabion: verdict=verified
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;
static int shared;

static void *work(void *arg) {
    shared = 1;
    sem_post(&semaphore);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    sem_wait(&semaphore);
    int seen = shared;
    pthread_join(other, 0);
    return seen == 1 ? 0 : 1;
}
