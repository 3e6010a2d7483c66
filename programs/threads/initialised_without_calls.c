// Objects may be used that no call has initialised: by static initialisers, as zeroed memory, as copies of unused ones.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t zeroed;
static pthread_rwlock_t readers = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t writers = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static pthread_rwlock_t zeroed_lock;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_cond_t zeroed_condition;
static pthread_once_t once = PTHREAD_ONCE_INIT;

struct object {
    pthread_mutex_t lock;
    pthread_barrier_t barrier;
    pthread_spinlock_t spin;
    pthread_cond_t condition;
};
static struct object *object;
static int count;

static void set_up(void) {}

static void each(pthread_mutex_t *lock) {
    assert(pthread_mutex_lock(lock) == 0);
    assert(pthread_mutex_unlock(lock) == 0);
}

static void *work(void *arg) {
    pthread_mutex_lock(&object->lock);
    count++;
    pthread_mutex_unlock(&object->lock);
    pthread_spin_lock(&object->spin);
    pthread_spin_unlock(&object->spin);
    return arg;
}

int main(void) {
    pthread_t other;
    struct object first;
    pthread_mutex_init(&first.lock, 0);
    pthread_cond_init(&first.condition, 0);
    pthread_barrier_init(&first.barrier, 0, 1);
    pthread_spin_init(&first.spin, PTHREAD_PROCESS_PRIVATE);
    object = malloc(sizeof *object);
    memcpy(object, &first, sizeof first);
    pthread_create(&other, 0, work, 0);
    pthread_once(&once, set_up);
    each(&plain), each(&recursive), each(&checked), each(&adaptive), each(&zeroed);
    pthread_rwlock_rdlock(&readers), pthread_rwlock_unlock(&readers);
    pthread_rwlock_wrlock(&writers), pthread_rwlock_unlock(&writers);
    pthread_rwlock_wrlock(&zeroed_lock), pthread_rwlock_unlock(&zeroed_lock);
    pthread_cond_signal(&condition), pthread_cond_broadcast(&zeroed_condition);
    pthread_cond_signal(&object->condition);
    assert(pthread_barrier_wait(&object->barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    pthread_join(other, 0);
    // Destroyed objects may be set up anew, also without a call.
    pthread_mutex_destroy(&plain);
    plain = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    each(&plain);
    pthread_cond_destroy(&condition);
    pthread_cond_init(&condition, 0);
    pthread_cond_signal(&condition);
    pthread_spin_destroy(&object->spin);
    pthread_barrier_destroy(&object->barrier);
    free(object);
    return 0;
}
