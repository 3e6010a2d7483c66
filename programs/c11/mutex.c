// C11 threads: thrd_create, thrd_join, mtx_lock.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <threads.h>

static mtx_t mutex;
static int x;

static int work(void *arg) {
    mtx_lock(&mutex);
    x++;
    mtx_unlock(&mutex);
    return arg ? 5 : 0;
}

int main(void) {
    thrd_t t;
    int result = 0;
    assert(mtx_init(&mutex, mtx_plain) == thrd_success);
    assert(thrd_create(&t, work, &x) == thrd_success);
    work(NULL);
    assert(thrd_join(t, &result) == thrd_success);
    assert(result == 5 && x == 2);
    mtx_destroy(&mutex);
    return 0;
}
