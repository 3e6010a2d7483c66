// A thread runs on a stack that the program brought itself.
// gabion: verdict=verified
#include <assert.h>
#include <pthread.h>

static _Alignas(4096) char stack[256 * 1024];

static void *where(void *arg) {
    char local = 0;
    (void)arg;
    return (void *)(long)(&local >= stack && &local < stack + sizeof stack);
}

int main(void) {
    pthread_attr_t attr;
    pthread_t t;
    void *inside;
    pthread_attr_init(&attr);
    assert(pthread_attr_setstack(&attr, stack, sizeof stack) == 0);
    assert(pthread_create(&t, &attr, where, NULL) == 0);
    pthread_join(t, &inside);
    assert(inside);
    return 0;
}
