// K threads (main is one) times N rounds of { lock, add, unlock, atomic add }.
#include <pthread.h>
#include <stdatomic.h>

#ifndef K
#define K 2
#endif
#ifndef N
#define N 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns;
static atomic_int steps;

static void *worker(void *arg)
{
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        turns++;
        pthread_mutex_unlock(&lock);
        atomic_fetch_add(&steps, 1);
    }
    return arg;
}

int main(void)
{
    pthread_t thread[K];
    for (int i = 1; i < K; i++)
        pthread_create(&thread[i], 0, worker, 0);
    worker(0);
    for (int i = 1; i < K; i++)
        pthread_join(thread[i], 0);
    return turns != K * N || steps != K * N;
}
