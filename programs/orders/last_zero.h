// N writers a[j] = a[j-1] + 1 and one scanner from a[N] down to the first zero.
#include <pthread.h>

#ifndef N
#define N 5
#endif

static volatile int a[N + 1];

static void *writer(void *arg)
{
    long j = (long)arg;
    a[j] = a[j - 1] + 1;
    return 0;
}

static void *scanner(void *arg)
{
    int i = N;
    while (a[i] != 0)
        i--;
    return arg;
}

int main(void)
{
    pthread_t thread[N + 1];
    pthread_create(&thread[0], 0, scanner, 0);
    for (long j = 1; j <= N; j++)
        pthread_create(&thread[j], 0, writer, (void *)j);
    for (int j = 0; j <= N; j++)
        pthread_join(thread[j], 0);
    return 0;
}
