// What fails is a local that one of two variables led to; both are other than where it passes.
// says: reads calls at two_differ.c:22 and finds 2
// says: reads low at two_differ.c:23 and finds 20
// says: Which of them matters is not known.
// never: belong together
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int low, high = 10, calls;

static int get_high(void) {
    pthread_mutex_lock(&m);
    calls++;
    int value = high;
    pthread_mutex_unlock(&m);
    return value;
}

static int get_low(void) {
    pthread_mutex_lock(&m);
    calls++;
    int value = low;
    pthread_mutex_unlock(&m);
    return value;
}

static void *shift(void *u) {
    pthread_mutex_lock(&m);
    low += 20;
    high += 20;
    calls++;
    pthread_mutex_unlock(&m);
    return u;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, shift, 0);
    int to = get_high(), from = get_low(), width = to - from; pthread_join(t, 0); assert(width >= 0);
}
