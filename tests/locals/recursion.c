// A function that calls itself has two variables of the same name: their places tell them apart.
// options: --cflags -O0
// options: --cflags -O0 --compiler clang
// object: own in down of T0-
// object: own in down of T0-
#include <assert.h>
#include <pthread.h>

static void *add(void *p) {
    *(int *)p += 1;
    return NULL;
}

static int down(int n) {
    int own = 0;
    pthread_t t;
    pthread_create(&t, NULL, add, &own);
    own++;
    int bad = n > 0 ? down(n - 1) : 0;
    pthread_join(t, NULL);
    return bad + (own != 2);
}

int main(void) {
    assert(down(1) < 2);
    return 0;
}
