// N threads on one lock: N! orders.
#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    turns++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread[N];
    for (int i = 0; i < N; i++)
        pthread_create(&thread[i], 0, worker, 0);
    for (int i = 0; i < N; i++)
        pthread_join(thread[i], 0);
    return turns != N;
}
