// A semaphore is copied back: two threads pass that has one token, or one waits for ever.
// gabion: verdict=bug kind=deadlock
#include <pthread.h>
#include <semaphore.h>

static sem_t s;

static void *take(void *arg) {
    sem_wait(&s);
    return arg;
}

int main(void) {
    pthread_t t, u;
    sem_init(&s, 0, 1);
    sem_t saved = s;
    pthread_create(&t, NULL, take, NULL);
    pthread_create(&u, NULL, take, NULL);
    s = saved;
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
