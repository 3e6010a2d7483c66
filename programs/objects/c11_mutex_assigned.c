// A C11 mutex is assigned to while another thread may hold it.
// gabion: verdict=bug
#include <assert.h>
#include <threads.h>

static mtx_t m, fresh;
static int x;

static int add(void *arg) {
    (void)arg;
    mtx_lock(&m);
    int v = x;
    x = v + 1;
    mtx_unlock(&m);
    return 0;
}

int main(void) {
    thrd_t t;
    mtx_init(&m, mtx_plain);
    fresh = m;
    thrd_create(&t, add, NULL);
    m = fresh;
    add(NULL);
    thrd_join(t, NULL);
    assert(x == 2);
    return 0;
}
