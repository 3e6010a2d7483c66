// The twin of readers_share with write locks: the first one inside waits for ever.
// gabion: verdict=bug kind=deadlock
// gabion: args=--preempt sync
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both;

static void *writer(void *arg) {
    pthread_rwlock_wrlock(&lock);
    pthread_barrier_wait(&both);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&t, NULL, writer, NULL);
    writer(NULL);
    pthread_join(t, NULL);
    return 0;
}
