// A reader-writer lock is used after it may have been destroyed.
// gabion: verdict=bug kind=lock-misuse message="was destroyed"
// gabion: native=no
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *work(void *arg) {
    pthread_rwlock_trywrlock(&lock);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_rwlock_destroy(&lock);
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    return 0;
}
