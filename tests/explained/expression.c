// Two variables in the expression; one of them has lost an update.
// says: reads count at expression.c:25 and finds 1
// never: total at
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int total;
static int count;

static void *add(void *u) {
    atomic_fetch_add(&total, 5);
    count++;
    return u;
}

static int both(int a, int b) { return a + b; }

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(both(count, atomic_load(&total)) == 12);
}
