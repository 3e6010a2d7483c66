// Two variables feed locals; without a run that passes nobody knows which of them matters.
// gabion: --minimise-runs 0
// says: has read count at unknown.c:23 (1) and total at unknown.c:24 (10); which of them matters is not known
// never: belong together
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int total, count;

static void *add(void *u) {
    atomic_fetch_add(&total, 5);
    atomic_store(&count, atomic_load(&count) + 1);
    return u;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    int n = atomic_load(&count);
    int sum = atomic_load(&total);
    assert(sum == 10);
    assert(n == 2);
}
