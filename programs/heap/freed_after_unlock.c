// The same, released first.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    pthread_mutex_lock(arg);
    pthread_mutex_unlock(arg);
    pthread_mutex_destroy(arg);
    free(arg);
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
