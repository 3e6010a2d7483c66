// C11 threads: what a once set up goes through a condition variable.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <threads.h>

static mtx_t m;
static cnd_t c;
static once_flag once = ONCE_FLAG_INIT;
static int ready, data, table;

static void fill(void) { table = 1; }

static int write(void *arg) {
    (void)arg;
    call_once(&once, fill);
    data = table;
    mtx_lock(&m);
    ready = 1;
    cnd_signal(&c);
    mtx_unlock(&m);
    return 0;
}

int main(void) {
    thrd_t other;
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    thrd_create(&other, write, NULL);
    mtx_lock(&m);
    while (!ready)
        cnd_wait(&c, &m);
    mtx_unlock(&m);
    call_once(&once, fill);
    int sum = data + table;
    thrd_join(other, NULL);
    return sum != 2;
}
