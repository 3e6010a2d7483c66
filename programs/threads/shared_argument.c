// The address of the loop variable is handed to every thread.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static int seen[3];

static void *work(void *arg) {
    int i = *(int *)arg;
    seen[i] = 1;
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int i;
    for (i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &i);
    for (int j = 0; j < 2; j++)
        pthread_join(t[j], NULL);
    assert(seen[0] && seen[1]);
    return 0;
}
