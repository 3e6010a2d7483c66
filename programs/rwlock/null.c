// A null pointer is locked for reading.
// gabion: verdict=bug kind=segfault location=HERE
// gabion: native=no
#include <pthread.h>

static pthread_rwlock_t *lock;

static void *work(void *arg) {
    pthread_rwlock_rdlock(lock); // HERE
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    return 0;
}
