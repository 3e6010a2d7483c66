// A block is freed by who holds the mutex in it.
// gabion: verdict=bug kind=lock-misuse message=holds location=HERE
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    pthread_mutex_lock(arg);
    free(arg); // HERE
    return NULL;
}

int main(void) {
    pthread_mutex_t *m = malloc(sizeof *m);
    pthread_t t;
    pthread_mutex_init(m, NULL);
    pthread_create(&t, NULL, work, m);
    pthread_join(t, NULL);
    return 0;
}
