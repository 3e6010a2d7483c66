// What fails is given to the function that checks it; a statistic is read in between.
// says: reads count at argument.c:29 and finds 1
// never: hits at
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int hits;
static int count;

static void *add(void *u) {
    atomic_fetch_add(&hits, 1);
    count++;
    return u;
}

static void check(int n) {
    assert(atomic_load(&hits) >= 0);
    assert(n == 2);
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(atomic_load(&hits) == 2);
    check(count);
}
