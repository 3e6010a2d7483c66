// Two readers are inside together: C(4,2) = 6.
// gabion: verdict=complete runs=6
// gabion: args=--preempt sync --reduction none
#include <pthread.h>
#include <stdatomic.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int x;

static void *work(void *arg) {
    pthread_rwlock_rdlock(&lock);
    atomic_fetch_add(&x, 1);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
