// The check that fails is of a local; another one, of a variable that is as it should be, was read after it.
// says: reads count at passing_assertion.c:24 and finds 1
// never: head at
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int head, count;

static void *add(void *u) {
    pthread_mutex_lock(&m);
    head = 1;
    pthread_mutex_unlock(&m);
    count++;
    return u;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    int n = count;
    assert(head == 1);
    assert(n == 2);
}
