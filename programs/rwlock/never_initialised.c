// A reader-writer lock in memory that holds something else was never initialised.
// gabion: verdict=bug kind=lock-misuse message="never initialised" location=HERE
// gabion: native=no
#include <pthread.h>
#include <string.h>

static pthread_rwlock_t lock;

static void *work(void *arg) {
    pthread_rwlock_wrlock(&lock); // HERE
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t other;
    memset(&lock, 0x77, sizeof lock);
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    return 0;
}
