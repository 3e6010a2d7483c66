// A condition variable of C11 is destroyed while a thread may wait there.
// gabion: verdict=bug kind=lock-misuse message="condition variable is"
// gabion: native=no
#include <threads.h>

static cnd_t condition;
static mtx_t lock;

static int work(void *arg) {
    (void)arg;
    mtx_lock(&lock);
    cnd_wait(&condition, &lock);
    mtx_unlock(&lock);
    return 0;
}

int main(void) {
    thrd_t other;
    mtx_init(&lock, mtx_plain);
    cnd_init(&condition);
    thrd_create(&other, work, 0);
    thrd_yield();
    cnd_destroy(&condition); // HERE
    return 0;
}
