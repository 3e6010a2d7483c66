// A semaphore is posted before the data are there.
// gabion: verdict=verified races=A-B
// gabion: compilers=gcc,clang
// gabion: args=--hb limited
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static int data;
int got;

static void *writer(void *arg) {
    sem_post(&s);
    data = 1; // @A
    return arg;
}

int main(void) {
    pthread_t other;
    sem_init(&s, 0, 0);
    pthread_create(&other, NULL, writer, NULL);
    sem_wait(&s);
    got = data; // @B
    pthread_join(other, NULL);
    return 0;
}
