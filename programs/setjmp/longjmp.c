// longjmp out of nested calls, in two threads at once.
// gabion: verdict=complete
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

static atomic_int x;

static void deep(jmp_buf *back, int n) {
    if (n > 0)
        deep(back, n - 1);
    atomic_fetch_add(&x, 1);
    longjmp(*back, 5);
}

static void *work(void *arg) {
    jmp_buf back;
    int r = setjmp(back);
    if (r == 0)
        deep(&back, 4);
    assert(r == 5);
    atomic_fetch_add(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(x == 4);
    return 0;
}
