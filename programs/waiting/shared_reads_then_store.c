// The same with a lock for readers and writers.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int n;

static int get(void) {
    pthread_rwlock_rdlock(&lock);
    int seen = n;
    pthread_rwlock_unlock(&lock);
    return seen;
}

static void *add(void *arg) {
    int seen = 0;
    for (int round = 0; round < 25; round++)
        seen = get();
    pthread_rwlock_wrlock(&lock);
    n = seen + 1;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(n == 2);
}
