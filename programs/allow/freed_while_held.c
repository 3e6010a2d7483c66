// A lock is freed while it is held, and then unlocked: the use of freed memory tells more than the misuse before it.
// gabion: verdict=bug kind=use-after-free
// gabion: native=no
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct shared {
    pthread_mutex_t lock;
    int uses;
};

static struct shared *shared;

static void *use(void *arg) {
    pthread_mutex_lock(&shared->lock);
    shared->uses++;
    pthread_mutex_unlock(&shared->lock);
    return arg;
}

int main(void) {
    pthread_t thread;
    shared = malloc(sizeof *shared);
    pthread_mutex_init(&shared->lock, 0);
    shared->uses = 0;
    pthread_create(&thread, 0, use, 0);
    if (pthread_mutex_trylock(&shared->lock) == 0) {
        pthread_mutex_unlock(&shared->lock);
        pthread_join(thread, 0);
        free(shared);
        return 0;
    }
    free(shared);
    pthread_join(thread, 0);
    return 0;
}
