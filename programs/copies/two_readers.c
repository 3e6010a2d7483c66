// Both hold the lock, for reading, while one of them writes: it protects nothing.
// gabion: verdict=complete caveat=whole-copies
#include <assert.h>
#include <pthread.h>

struct pair {
    long a, b;
};
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct pair x, ones = {1, 1};

static void *copy(void *arg) {
    pthread_rwlock_rdlock(&lock);
    x = ones;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, copy, NULL);
    pthread_rwlock_rdlock(&lock);
    struct pair v = x;
    pthread_rwlock_unlock(&lock);
    pthread_join(t, NULL);
    assert(v.a == v.b);
    return 0;
}
