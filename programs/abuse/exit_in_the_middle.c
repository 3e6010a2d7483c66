// _exit in the middle of a critical section, with other threads waiting.
// gabion: verdict=complete
// gabion: args=--preempt sync
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    if (atomic_fetch_add(&x, 1) == 1)
        _exit(0);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
