// A semaphore is drained: its value is all that tells rounds apart.
// gabion: verdict=verified
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

static sem_t tokens;

static void *drain(void *unused) {
    while (!sem_trywait(&tokens))
        sched_yield();
    return unused;
}

int main(void) {
    pthread_t t;
    sem_init(&tokens, 0, 1100);
    pthread_create(&t, NULL, drain, NULL);
    pthread_join(t, NULL);
    return 0;
}
