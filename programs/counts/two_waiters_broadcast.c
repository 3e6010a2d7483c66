// The same with one broadcast, which is no choice: (1 + 3 + 1 + 4) * 3 = 27.
// gabion: verdict=complete runs=27
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
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
