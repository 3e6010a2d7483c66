// C11 threads: a counter under two different locks.
// gabion: verdict=verified races=A-B
// gabion: compilers=gcc,clang
#include <threads.h>

static mtx_t a, b;
static int counter;

static int left(void *arg) {
    (void)arg;
    mtx_lock(&a);
    counter++; // @A
    mtx_unlock(&a);
    return 0;
}

static int right(void *arg) {
    (void)arg;
    mtx_lock(&b);
    counter++; // @B
    mtx_unlock(&b);
    return 0;
}

int main(void) {
    thrd_t other;
    mtx_init(&a, mtx_plain);
    mtx_init(&b, mtx_plain);
    thrd_create(&other, left, NULL);
    right(NULL);
    thrd_join(other, NULL);
    return 0;
}
