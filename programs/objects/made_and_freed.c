// Each thread makes, uses and frees a lock of its own: one run says it all.
// gabion: verdict=verified
// gabion: runs=1
#include <pthread.h>
#include <stdlib.h>

static void *use(void *arg) {
    pthread_mutex_t *m = malloc(sizeof *m);
    pthread_mutex_init(m, NULL);
    pthread_mutex_lock(m);
    pthread_mutex_unlock(m);
    pthread_mutex_destroy(m);
    free(m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, use, NULL);
    use(NULL);
    pthread_join(t, NULL);
    return 0;
}
