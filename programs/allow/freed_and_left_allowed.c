// The same where that is allowed: the verdict says so.
// gabion: verdict=complete caveat=allowed
// gabion: args=--allow lock-misuse
// gabion: native=no
#include <pthread.h>
#include <stdlib.h>

static void *leave(void *arg) {
    pthread_mutex_t *lock = malloc(sizeof *lock);
    pthread_mutex_init(lock, 0);
    pthread_mutex_lock(lock);
    free(lock);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, leave, 0);
    pthread_join(thread, 0);
    return 0;
}
