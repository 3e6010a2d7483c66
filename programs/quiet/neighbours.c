// Two threads write neighbouring bytes of one word: they do not conflict, whatever unit the checker keeps its notes in.
// gabion: verdict=verified runs=1
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static char bytes[8];

static void *work(void *arg) {
    char *own = arg;
    for (int i = 0; i < 3; i++)
        (*own)++;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, &bytes[0]);
    work(&bytes[1]);
    pthread_join(t, NULL);
    assert(bytes[0] == 3 && bytes[1] == 3);
    return 0;
}
