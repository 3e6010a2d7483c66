// A thread waits for a semaphore on its own stack, and is let go by something else: the post may come after its end.
// gabion: verdict=bug kind=use-after-free message=ended
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic(sem_t *) waiting;
static atomic_int done;

static void *waiter(void *arg) {
    sem_t own;
    sem_init(&own, 0, 0);
    atomic_store(&waiting, &own);
    while (!atomic_load(&done))
        sem_wait(&own);
    return arg;
}

static void *worker(void *arg) {
    sem_t *who;
    while ((who = atomic_load(&waiting)) == NULL)
        ;
    atomic_store(&done, 1);
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
