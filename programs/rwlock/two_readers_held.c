// A writer waits for two readers, both of whom wait for it: it is told where each of them took the lock.
// gabion: verdict=bug kind=deadlock locked=FIRST locked=SECOND
// gabion: args=--preempt sync
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t end;

static void *first(void *arg) {
    pthread_rwlock_rdlock(&lock); // FIRST
    pthread_barrier_wait(&end);
    return arg;
}

static void *second(void *arg) {
    pthread_rwlock_rdlock(&lock); // SECOND
    pthread_barrier_wait(&end);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&end, NULL, 3);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_barrier_wait(&end);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
