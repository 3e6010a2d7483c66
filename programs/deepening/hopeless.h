#include <assert.h>
#include <pthread.h>

/* Workers hand tokens on through a ring of locked slots, and count what they did in places of their own and in one that all
 * share. All interleavings of the ring are far too many to run. */
#ifndef WORKERS
#define WORKERS 4
#endif
#ifndef ROUNDS
#define ROUNDS 6
#endif

static pthread_mutex_t lock[WORKERS];
static int slot[WORKERS];
static int hits;
static int limit_seen;

static void *worker(void *arg) {
    long me = (long)arg;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&lock[me]);
        int token = slot[me];
        slot[me] = 0;
        pthread_mutex_unlock(&lock[me]);
        long next = (me + 1) % WORKERS;
        pthread_mutex_lock(&lock[next]);
        slot[next] += token + 1;
        pthread_mutex_unlock(&lock[next]);
        COUNT
    }
    return 0;
}

int main(void) {
    pthread_t thread[WORKERS];
    for (long i = 0; i < WORKERS; i++)
        pthread_mutex_init(&lock[i], 0);
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&thread[i], 0, worker, (void *)i);
    for (long i = 0; i < WORKERS; i++)
        pthread_join(thread[i], 0);
    int sum = 0;
    for (long i = 0; i < WORKERS; i++)
        sum += slot[i];
    assert(sum == WORKERS * ROUNDS);
    CHECK
}
