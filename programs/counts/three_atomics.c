// Three threads with a = b = m = 2 operations. Creating B and joining A are steps as well: with j operations of A
// before the creation of B, sum over j of C(a-j+m, m) * C(a-j+m+1+b, b) = 126 + 45 + 10 = 181.
// gabion: verdict=complete runs=181
// gabion: args=--preempt sync --reduction none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *arg) {
    atomic_fetch_add(&x, 1);
    atomic_fetch_add(&x, 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    work(NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
