// Names that the C library keeps for programs which were linked long ago. Under each of them the lock is the same.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define OLD(name) __asm__(".symver old_" #name ", __pthread_" #name "@GLIBC_2.2.5")

OLD(mutex_lock);
OLD(mutex_unlock);
OLD(rwlock_wrlock);
OLD(rwlock_unlock);
OLD(once);

int old_mutex_lock(pthread_mutex_t *);
int old_mutex_unlock(pthread_mutex_t *);
int old_rwlock_wrlock(pthread_rwlock_t *);
int old_rwlock_unlock(pthread_rwlock_t *);
int old_once(pthread_once_t *, void (*)(void));

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int under_mutex, under_rwlock, made;

static void make(void) {
    made++;
}

static void *work(void *arg) {
    (void)arg;
    old_once(&once, make);
    assert(made == 1);
    old_mutex_lock(&mutex);
    under_mutex++;
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    under_rwlock++;
    old_rwlock_unlock(&rwlock);
    return NULL;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    pthread_once(&once, make);
    pthread_mutex_lock(&mutex);
    under_mutex++;
    old_mutex_unlock(&mutex);
    old_rwlock_wrlock(&rwlock);
    under_rwlock++;
    pthread_rwlock_unlock(&rwlock);
    pthread_join(other, NULL);
    assert(under_mutex == 2 && under_rwlock == 2 && made == 1);
}
