// A thread-local variable whose address another thread was given is shared after all.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>

static __thread int mine;

static void *work(void *arg) {
    ++*(int *)arg;
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, &mine);
    ++mine;
    pthread_join(t, NULL);
    assert(mine == 2);
    return 0;
}
