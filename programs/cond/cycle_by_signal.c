// A signalled waiter wants its mutex back while its holder wants a lock of the waiter's: a circle that neither of the two closed
// by itself, and main is about to leave.
// gabion: verdict=bug kind=deadlock
// gabion: args=--preempt sync
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;

static void *waits(void *arg) {
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    pthread_cond_wait(&ready, &inner);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return arg;
}

static void *holds(void *arg) {
    pthread_mutex_lock(&inner);
    pthread_mutex_lock(&outer);
    pthread_mutex_unlock(&outer);
    pthread_mutex_unlock(&inner);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, waits, NULL);
    pthread_create(&b, NULL, holds, NULL);
    pthread_cond_signal(&ready);
    exit(0);
}
