// A read lock that is taken to look keeps a writer out that only tries.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int ready;

static int look(void) {
    pthread_rwlock_rdlock(&lock);
    int seen = ready;
    pthread_rwlock_unlock(&lock);
    return seen;
}

static void *set(void *unused) {
    int taken = pthread_rwlock_trywrlock(&lock) == 0;
    if (taken)
        pthread_rwlock_unlock(&lock);
    ready = 1;
    assert(taken); // HERE
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, set, NULL);
    while (!look())
        ;
    pthread_join(a, NULL);
    return 0;
}
