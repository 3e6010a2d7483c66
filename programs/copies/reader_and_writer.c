// One holds the lock for reading and the other for writing: that keeps them apart, whatever races elsewhere.
// gabion: verdict=verified
#include <assert.h>
#include <pthread.h>

struct pair {
    long a, b;
};
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct pair x, ones = {1, 1};
static int raced;

static void *copy(void *arg) {
    raced = 1;
    pthread_rwlock_wrlock(&lock);
    x = ones;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, copy, NULL);
    raced = 2;
    pthread_rwlock_rdlock(&lock);
    struct pair v = x;
    pthread_rwlock_unlock(&lock);
    pthread_join(t, NULL);
    assert(v.a == v.b);
    return 0;
}
