// The answer needs two signals, and whoever has seen it signals no more.
// gabion: verdict=bug kind=deadlock
// gabion: compilers=gcc,clang
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int answered;

static void *answer(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&cond, &mutex);
    answered = 1;
    pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t a;
    int seen;
    pthread_create(&a, NULL, answer, NULL);
    do {
        pthread_mutex_lock(&mutex);
        seen = answered;
        if (!seen)
            pthread_cond_signal(&cond);
        pthread_mutex_unlock(&mutex);
    } while (!seen);
    pthread_join(a, NULL);
    return 0;
}
