// To unlock what nobody holds is not refused by glibc, and then no writer ever gets the lock.
// gabion: verdict=bug kind=lock-misuse location=HERE message=nobody native=no
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *work(void *arg) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t other;
    assert(pthread_rwlock_unlock(&lock) == 0); // HERE
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    return 0;
}
