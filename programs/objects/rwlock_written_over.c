// The initialiser is assigned to a reader-writer lock while a writer waits for the reader.
// gabion: verdict=bug kind=lock-misuse message="written over while a thread waits" location=HERE
// gabion: native=no
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *write_it(void *arg) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&t, NULL, write_it, NULL);
    lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER; // HERE
    pthread_join(t, NULL);
    return 0;
}
