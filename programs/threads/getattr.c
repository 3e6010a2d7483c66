// pthread_getattr_np describes the stack that the thread really runs on.
// gabion: verdict=verified
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static void check_stack(void) {
    pthread_attr_t attr;
    void *low = NULL;
    size_t size = 0;
    char local = 0;
    assert(pthread_getattr_np(pthread_self(), &attr) == 0);
    assert(pthread_attr_getstack(&attr, &low, &size) == 0);
    assert(size >= 16384);
    assert(&local >= (char *)low && &local < (char *)low + size);
    pthread_attr_destroy(&attr);
}

static void *work(void *arg) {
    check_stack();
    return arg;
}

int main(void) {
    pthread_t t;
    check_stack();
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
