// Two waiters, two tokens, two signals; a signal with two waiters is a choice of two. Before main's lock there are
// 1 + 3 + 1 ways with no waiter, A, B waiting and 4 with both; then 3 orders of the two last steps and the joins:
// (1 + 3 + 1 + 4 * 2) * 3 = 39.
// gabion: verdict=complete runs=39
// gabion: args=--preempt sync --reduction none
// gabion: compilers=gcc,clang
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int tokens;

static void *waiter(void *arg) {
    pthread_mutex_lock(&mutex);
    while (tokens == 0)
        pthread_cond_wait(&cond, &mutex);
    tokens--;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, waiter, NULL);
    pthread_mutex_lock(&mutex);
    tokens = 2;
    pthread_cond_signal(&cond);
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
