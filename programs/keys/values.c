// Thread-specific data: each thread has its own value, new threads start with NULL.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static pthread_key_t key;

static void *work(void *arg) {
    assert(pthread_getspecific(key) == NULL);
    assert(pthread_setspecific(key, arg) == 0);
    assert(pthread_getspecific(key) == arg);
    return NULL;
}

int main(void) {
    pthread_t t;
    int a, b;
    assert(pthread_key_create(&key, NULL) == 0);
    pthread_create(&t, NULL, work, &a);
    work(&b);
    pthread_join(t, NULL);
    assert(pthread_getspecific(key) == &b);
    assert(pthread_key_delete(key) == 0);
    return 0;
}
