// One operation, then a once with one operation inside (begin, operation, done). If mine runs it, the other's
// operation has 5 places and its once comes last: 2 * 5 = 10.
// gabion: verdict=complete runs=10
// gabion: args=--preempt sync --reduction none
#include <pthread.h>
#include <stdatomic.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int x;

static void init(void) { atomic_fetch_add(&x, 1); }

static void *work(void *arg) {
    atomic_fetch_add(&x, 1);
    pthread_once(&once, init);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
