// A read lock is taken to look, and released again.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int ready, value;

static int look(void) {
    pthread_rwlock_rdlock(&lock);
    int seen = ready;
    pthread_rwlock_unlock(&lock);
    return seen;
}

static void *set(void *unused) {
    pthread_rwlock_wrlock(&lock);
    value = 5;
    ready = 1;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *other(void *unused) {
    while (!look())
        ;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, set, NULL);
    pthread_create(&b, NULL, other, NULL);
    while (!look())
        ;
    assert(value == 5);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
