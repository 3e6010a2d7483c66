// Main creates A, A creates B and joins it, one operation each, two in main. A and B alone have C(2,1) orders of
// 4 steps (with create and join), and main's two go anywhere among them: C(2,1) * C(6,2) = 30.
// gabion: verdict=complete runs=30
// gabion: args=--preempt sync --reduction none
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *b(void *arg) {
    atomic_fetch_add(&x, 1);
    return arg;
}

static void *a(void *arg) {
    pthread_t t;
    pthread_create(&t, NULL, b, NULL);
    atomic_fetch_add(&x, 1);
    pthread_join(t, NULL);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, a, NULL);
    atomic_fetch_add(&x, 1);
    atomic_fetch_add(&x, 1);
    pthread_join(t, NULL);
    return 0;
}
