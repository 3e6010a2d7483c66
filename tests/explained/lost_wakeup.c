// The flag is set and signalled between the question and the wait.
// says: The wake-up is lost: T1 (signals) signalled c at lost_wakeup.c:14 (step
// says: before T0 (main) waited (step
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int set;

static void *signals(void *u) {
    atomic_store(&set, 1);
    // Without the lock.
    pthread_cond_signal(&c);
    return u;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, signals, 0);
    pthread_mutex_lock(&m);
    while (!atomic_load(&set))
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
}
