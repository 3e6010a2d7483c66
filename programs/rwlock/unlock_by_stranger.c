// A reader unlocks what it never locked: the other's.
// gabion: verdict=bug kind=lock-misuse location=HERE
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *work(void *arg) {
    pthread_rwlock_unlock(&lock); // HERE
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_rwlock_unlock(&lock);
    return 0;
}
