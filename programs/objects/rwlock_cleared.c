// A reader-writer lock is cleared while it may be held: a writer finds readers inside.
// gabion: verdict=bug
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int readers;

static void *look(void *arg) {
    pthread_rwlock_rdlock(&lock);
    __atomic_fetch_add(&readers, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_sub(&readers, 1, __ATOMIC_SEQ_CST);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, look, NULL);
    lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlock_wrlock(&lock);
    assert(__atomic_load_n(&readers, __ATOMIC_SEQ_CST) == 0);
    pthread_rwlock_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
