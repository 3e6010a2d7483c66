// A destructor runs at thread end with the value, before the join returns; a value set inside it is destroyed too.
// gabion: verdict=complete
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_key_t key;
static int destroyed;

static void destroy(void *value) {
    destroyed += (int)(long)value;
    if ((long)value == 1)
        pthread_setspecific(key, (void *)10);
}

static void *work(void *arg) {
    pthread_setspecific(key, (void *)1);
    return arg;
}

static void *leaves(void *arg) {
    pthread_setspecific(key, (void *)100);
    pthread_exit(arg);
}

static void *nothing(void *arg) {
    pthread_setspecific(key, (void *)1000);
    pthread_setspecific(key, NULL);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_key_create(&key, destroy);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    assert(destroyed == 11);
    pthread_create(&t, NULL, leaves, NULL);
    pthread_join(t, NULL);
    assert(destroyed == 111);
    pthread_create(&t, NULL, nothing, NULL);
    pthread_join(t, NULL);
    assert(destroyed == 111);
    return 0;
}
