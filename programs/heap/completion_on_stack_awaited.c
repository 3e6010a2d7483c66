// A thread waits for a semaphore on its own stack, and only the post lets it go.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic(sem_t *) waiting;

static void *waiter(void *arg) {
    sem_t own;
    sem_init(&own, 0, 0);
    atomic_store(&waiting, &own);
    sem_wait(&own);
    return arg;
}

static void *worker(void *arg) {
    sem_t *who;
    while ((who = atomic_load(&waiting)) == NULL)
        ;
    sem_post(who);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&b, NULL, worker, NULL);
    pthread_create(&a, NULL, waiter, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
