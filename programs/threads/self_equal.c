// Who am I: self, equal, and the id that create handed out.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static void *me(void *arg) {
    pthread_t *creator = arg;
    assert(!pthread_equal(*creator, pthread_self()));
    return (void *)pthread_self();
}

int main(void) {
    pthread_t t, self = pthread_self();
    void *its;
    assert(pthread_equal(self, pthread_self()));
    pthread_create(&t, NULL, me, &self);
    pthread_join(t, &its);
    assert(pthread_equal(t, (pthread_t)its));
    return 0;
}
