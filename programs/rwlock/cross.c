// Two reader-writer locks: each thread reads one and wants to write the other.
// gabion: verdict=bug kind=deadlock locked=FIRST locked=SECOND
// gabion: args=--preempt sync
#include <pthread.h>

static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;

static void *ab(void *arg) {
    pthread_rwlock_rdlock(&a); // FIRST
    pthread_rwlock_wrlock(&b);
    pthread_rwlock_unlock(&b);
    pthread_rwlock_unlock(&a);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, ab, NULL);
    pthread_rwlock_rdlock(&b); // SECOND
    pthread_rwlock_wrlock(&a);
    pthread_rwlock_unlock(&a);
    pthread_rwlock_unlock(&b);
    pthread_join(t, NULL);
    return 0;
}
