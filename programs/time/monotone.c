// What a thread read from the clock before it released a lock is not later than what the next owner reads.
// gabion: verdict=complete
// gabion: args=--preempt sync
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct timespec last;

static void *work(void *arg) {
    struct timespec now;
    if (arg)
        sleep(1);
    pthread_mutex_lock(&mutex);
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert(now.tv_sec > last.tv_sec || (now.tv_sec == last.tv_sec && now.tv_nsec >= last.tv_nsec));
    last = now;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, &mutex);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
