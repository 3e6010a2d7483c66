// Init, use, destroy, init again; the errors of a held mutex.
// gabion: verdict=verified runs=1
#include <assert.h>
#include <errno.h>
#include <pthread.h>

int main(void) {
    pthread_mutex_t mutex;
    for (int i = 0; i < 3; i++) {
        assert(pthread_mutex_init(&mutex, NULL) == 0);
        assert(pthread_mutex_lock(&mutex) == 0);
        assert(pthread_mutex_trylock(&mutex) == EBUSY);
        assert(pthread_mutex_unlock(&mutex) == 0);
        assert(pthread_mutex_destroy(&mutex) == 0);
    }
    return 0;
}
