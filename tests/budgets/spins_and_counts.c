// A thread that counts in shared memory while it waits: runs that are too long to record.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, rounds;

static void *work(void *unused) {
    while (!flag)
        rounds++;
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, work, NULL);
    int seen = rounds;
    flag = 1;
    pthread_join(a, NULL);
    assert(seen < 12);
    return 0;
}
