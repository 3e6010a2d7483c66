// A local variable whose address another thread was given: the lost update on a stack.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static void *work(void *arg) {
    ++*(int *)arg;
    return NULL;
}

int main(void) {
    pthread_t t;
    int local = 0;
    pthread_create(&t, NULL, work, &local);
    ++local;
    pthread_join(t, NULL);
    assert(local == 2);
    return 0;
}
