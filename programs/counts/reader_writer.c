// A reader and a writer are not: 2.
// gabion: verdict=complete runs=2
// gabion: args=--preempt sync --reduction none
#include <pthread.h>
#include <stdatomic.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int x;

static void *write_(void *arg) {
    pthread_rwlock_wrlock(&lock);
    atomic_fetch_add(&x, 1);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, write_, NULL);
    pthread_rwlock_rdlock(&lock);
    atomic_fetch_add(&x, 1);
    pthread_rwlock_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
