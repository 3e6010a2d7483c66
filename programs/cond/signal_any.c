// A signal wakes any one waiter, not the one that came first: this program counts on the order of arrival.
// gabion: verdict=bug kind=assertion
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting, first, woken;

static void *wait_for_it(void *arg) {
    pthread_mutex_lock(&mutex);
    if (waiting++ == 0)
        first = (int)(long)arg;
    pthread_cond_wait(&cond, &mutex);
    if (woken == 0)
        woken = (int)(long)arg;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, wait_for_it, (void *)1);
    pthread_create(&b, NULL, wait_for_it, (void *)2);
    pthread_mutex_lock(&mutex);
    int both = waiting == 2;
    if (both)
        pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    if (!both)
        return 0;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(woken == first);
    return 0;
}
