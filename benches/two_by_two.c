// Two threads, two rounds of lock, add, unlock, atomic add: the test that loom and shuttle run in Rust beside us.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int plain;
static atomic_int atomic;

static void *work(void *arg) {
    for (int round = 0; round < 2; round++) {
        pthread_mutex_lock(&mutex);
        plain++;
        pthread_mutex_unlock(&mutex);
        atomic_fetch_add(&atomic, 1);
    }
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    return plain != 4 || atomic != 4;
}
