// One writer and N readers: 2^N orders.
#include <pthread.h>

#ifndef N
#define N 3
#endif

static volatile int x;

static void *reader(void *arg)
{
    (void)x;
    return arg;
}

static void *writer(void *arg)
{
    x = 1;
    return arg;
}

int main(void)
{
    pthread_t thread[N + 1];
    for (int i = 0; i < N; i++)
        pthread_create(&thread[i], 0, reader, 0);
    pthread_create(&thread[N], 0, writer, 0);
    for (int i = 0; i <= N; i++)
        pthread_join(thread[i], 0);
    return 0;
}
