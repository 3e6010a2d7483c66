// mtx_trylock and mtx_timedlock on a recursive and on a held mutex.
// gabion: verdict=verified
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex;

static int other(void *arg) {
    struct timespec until;
    (void)arg;
    timespec_get(&until, TIME_UTC);
    assert(mtx_trylock(&mutex) == thrd_busy);
    assert(mtx_timedlock(&mutex, &until) == thrd_timedout);
    return 0;
}

int main(void) {
    thrd_t t;
    mtx_init(&mutex, mtx_timed | mtx_recursive);
    assert(mtx_lock(&mutex) == thrd_success);
    assert(mtx_trylock(&mutex) == thrd_success);
    thrd_create(&t, other, NULL);
    thrd_join(t, NULL);
    mtx_unlock(&mutex);
    mtx_unlock(&mutex);
    return 0;
}
