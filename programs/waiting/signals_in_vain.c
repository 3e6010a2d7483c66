// A loop that signals until it is answered. While nobody waits, a signal changes nothing; once somebody does, the next wakes it.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int answered;

static void *answer(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&cond, &mutex);
    answered = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t a;
    int seen;
    pthread_create(&a, NULL, answer, NULL);
    do {
        pthread_mutex_lock(&mutex);
        pthread_cond_broadcast(&cond);
        seen = answered;
        pthread_mutex_unlock(&mutex);
    } while (!seen);
    pthread_join(a, NULL);
    return 0;
}
