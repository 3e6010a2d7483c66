// The C library's other name for making a key, which libgcc uses.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

int __pthread_key_create(pthread_key_t *key, void (*destructor)(void *));

static pthread_key_t key;
static _Atomic int destroyed;

static void destroy(void *value) {
    assert(value == &destroyed);
    destroyed++;
}

static void *work(void *arg) {
    assert(pthread_getspecific(key) == NULL);
    pthread_setspecific(key, arg);
    return pthread_getspecific(key);
}

int main(void) {
    pthread_t a, b;
    void *result;
    assert(__pthread_key_create(&key, destroy) == 0);
    pthread_create(&a, NULL, work, &destroyed);
    pthread_create(&b, NULL, work, &destroyed);
    pthread_join(a, &result);
    assert(result == &destroyed);
    pthread_join(b, NULL);
    assert(destroyed == 2);
}
