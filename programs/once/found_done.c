// Three threads call one pthread_once twice each. Who runs the function is all that matters; calls that find it done do not
// depend on each other: 3 runs.
// gabion: verdict=verified runs=3
// gabion: args=--preempt everywhere
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int value;

static void init(void) { value++; }

static void *work(void *unused) {
    (void)unused;
    pthread_once(&once, init);
    assert(value == 1);
    pthread_once(&once, init);
    return 0;
}

int main(void) {
    pthread_t others[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&others[i], 0, work, 0);
    work(0);
    for (int i = 0; i < 2; i++)
        pthread_join(others[i], 0);
    return 0;
}
