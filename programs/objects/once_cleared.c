// A once is made new by a plain store: its function may run twice.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs;

static void count(void) { runs++; }

static void *call(void *arg) {
    pthread_once(&once, count);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, call, NULL);
    once = PTHREAD_ONCE_INIT;
    call(NULL);
    pthread_join(t, NULL);
    assert(runs == 1);
    return 0;
}
