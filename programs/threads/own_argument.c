// The twin of shared_argument: each thread gets its own value.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static int seen[3];

static void *work(void *arg) {
    seen[(long)arg] = 1;
    return NULL;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int j = 0; j < 2; j++)
        pthread_join(t[j], NULL);
    assert(seen[0] && seen[1]);
    return 0;
}
