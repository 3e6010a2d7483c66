// Threads insert messages into a hash table by compare-and-swap (Flanagan and Godefroid 2005). They meet from the 12th
// thread on.
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 128
#define MAX 4

#ifndef N
#define N 12
#endif

static atomic_int table[SIZE];

static void *worker(void *arg)
{
    int tid = (int)(long)arg, m = 0;
    while (m < MAX) {
        int w = (++m) * 11 + tid;
        int h = (w * 7) % SIZE;
        int free = 0;
        while (!atomic_compare_exchange_strong(&table[h], &free, w)) {
            h = (h + 1) % SIZE;
            free = 0;
        }
    }
    return 0;
}

int main(void)
{
    pthread_t thread[N];
    for (long i = 0; i < N; i++)
        pthread_create(&thread[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(thread[i], 0);
    return 0;
}
