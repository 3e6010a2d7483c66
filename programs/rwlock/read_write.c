// Readers see both halves of what the writer wrote, or neither.
// gabion: verdict=complete
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int a, b;

static void *writer(void *arg) {
    pthread_rwlock_wrlock(&lock);
    atomic_store(&a, 1);
    atomic_store(&b, 1);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    pthread_rwlock_rdlock(&lock);
    int x = atomic_load(&a), y = atomic_load(&b);
    pthread_rwlock_unlock(&lock);
    assert(x == y);
    pthread_join(t, NULL);
    return 0;
}
