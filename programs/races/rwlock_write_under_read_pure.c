// A writer that holds the lock for reading.
// gabion: verdict=verified races=A-B
// gabion: compilers=gcc,clang
// gabion: args=--hb pure
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int data;
int got;

static void *writer(void *arg) {
    pthread_rwlock_rdlock(&lock);
    data = 1; // @A
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void reader(void) {
    pthread_rwlock_rdlock(&lock);
    got = data; // @B
    pthread_rwlock_unlock(&lock);
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, writer, NULL);
    reader();
    pthread_join(other, NULL);
    return 0;
}
