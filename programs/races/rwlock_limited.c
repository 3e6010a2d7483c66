// A writer and a reader with a reader-writer lock.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
// gabion: args=--hb limited
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int data;
int got;

static void *writer(void *arg) {
    pthread_rwlock_wrlock(&lock);
    data = 1;
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void reader(void) {
    pthread_rwlock_rdlock(&lock);
    got = data;
    pthread_rwlock_unlock(&lock);
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, writer, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
