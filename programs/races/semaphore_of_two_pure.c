// A semaphore that begins with 2 is no lock.
// gabion: verdict=verified races=A-A
// gabion: compilers=gcc,clang
// gabion: args=--hb pure
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static int counter;

static void *work(void *arg) {
    sem_wait(&s);
    counter++; // @A
    sem_post(&s);
    return arg;
}

int main(void) {
    pthread_t other;
    sem_init(&s, 0, 2);
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    return 0;
}
