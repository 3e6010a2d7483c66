// The twin of mutex.c without it.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <threads.h>

static int x;

static int work(void *arg) {
    (void)arg;
    x++;
    return 0;
}

int main(void) {
    thrd_t t;
    thrd_create(&t, work, NULL);
    work(NULL);
    thrd_join(t, NULL);
    assert(x == 2);
    return 0;
}
