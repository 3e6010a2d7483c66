// cnd_wait, cnd_signal, cnd_broadcast, cnd_timedwait.
// gabion: verdict=complete
// gabion: args=--preempt sync
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex;
static cnd_t cond;
static int ready;

static int producer(void *arg) {
    (void)arg;
    mtx_lock(&mutex);
    ready = 1;
    cnd_signal(&cond);
    mtx_unlock(&mutex);
    return 0;
}

int main(void) {
    thrd_t t;
    struct timespec until;
    mtx_init(&mutex, mtx_timed);
    cnd_init(&cond);
    thrd_create(&t, producer, NULL);
    mtx_lock(&mutex);
    while (!ready)
        cnd_wait(&cond, &mutex);
    assert(ready);
    mtx_unlock(&mutex);
    thrd_join(t, NULL);
    cnd_broadcast(&cond);
    timespec_get(&until, TIME_UTC);
    mtx_lock(&mutex);
    assert(cnd_timedwait(&cond, &mutex, &until) == thrd_timedout);
    mtx_unlock(&mutex);
    cnd_destroy(&cond);
    return 0;
}
