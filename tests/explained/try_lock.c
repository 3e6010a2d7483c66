// That a lock was tried in vain is what the failure comes from.
// says: reads done at try_lock.c:
// shows: try to lock m (fails: T0 holds it)

#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done;
static void *w(void *u) {
    if (pthread_mutex_trylock(&m) == 0) {
        done = 1;
        pthread_mutex_unlock(&m);
    }
    return u;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, w, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    assert(done);
}
