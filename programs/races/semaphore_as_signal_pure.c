// A semaphore that begins with 0, as a signal.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
// gabion: args=--hb pure
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static int data;
int got;

static void *writer(void *arg) {
    data = 1;
    sem_post(&s);
    return arg;
}

int main(void) {
    pthread_t other;
    sem_init(&s, 0, 0);
    pthread_create(&other, NULL, writer, NULL);
    sem_wait(&s);
    got = data;
    pthread_join(other, NULL);
    return 0;
}
