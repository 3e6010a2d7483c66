// The twin: a flag instead of pthread_once.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int initialised;
static atomic_int count;

static void *work(void *arg) {
    if (!initialised) {
        atomic_fetch_add(&count, 1);
        initialised = 1;
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(count == 1);
    return 0;
}
