#include <assert.h>
#include <pthread.h>
#include <sched.h>

static int value;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *locked(void *arg) {
    pthread_mutex_lock(&lock);
    int before = value;
    value = before + 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *atomic(void *arg) {
    __atomic_fetch_add(&value, 1, __ATOMIC_SEQ_CST);
    sched_yield();
    __atomic_fetch_add(&value, 1, __ATOMIC_SEQ_CST);
    assert(value >= 2); // HERE
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, locked, 0);
    pthread_create(&b, 0, atomic, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
