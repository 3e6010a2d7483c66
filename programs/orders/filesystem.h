// Threads allocate blocks to inodes (Flanagan and Godefroid 2005). They meet from the 14th thread on.
#include <pthread.h>

#define NUMBLOCKS 26
#define NUMINODE 32

#ifndef N
#define N 14
#endif

static pthread_mutex_t locki[NUMINODE], lockb[NUMBLOCKS];
static int inode[NUMINODE];
static int busy[NUMBLOCKS];

static void *worker(void *arg)
{
    int tid = (int)(long)arg;
    int i = tid % NUMINODE;
    pthread_mutex_lock(&locki[i]);
    if (inode[i] == 0) {
        int b = (i * 2) % NUMBLOCKS;
        while (1) {
            pthread_mutex_lock(&lockb[b]);
            if (!busy[b]) {
                busy[b] = 1;
                inode[i] = b + 1;
                pthread_mutex_unlock(&lockb[b]);
                break;
            }
            pthread_mutex_unlock(&lockb[b]);
            b = (b + 1) % NUMBLOCKS;
        }
    }
    pthread_mutex_unlock(&locki[i]);
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
