// cnd_signal before cnd_wait: lost.
// gabion: verdict=bug kind=deadlock
// gabion: args=--preempt sync
#include <threads.h>

static mtx_t mutex;
static cnd_t cond;

static int producer(void *arg) {
    (void)arg;
    cnd_signal(&cond);
    return 0;
}

int main(void) {
    thrd_t t;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&cond);
    thrd_create(&t, producer, NULL);
    mtx_lock(&mutex);
    cnd_wait(&cond, &mutex);
    mtx_unlock(&mutex);
    thrd_join(t, NULL);
    return 0;
}
