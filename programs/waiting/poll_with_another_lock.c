// Polls under one lock what is set under another; what follows the loop must be reached.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
static int flag;

static void *setter(void *arg) {
    pthread_mutex_lock(&l);
    flag = 1;
    pthread_mutex_unlock(&l);
    return arg;
}

int main(void) {
    pthread_t t;
    int seen;
    pthread_create(&t, NULL, setter, NULL);
    do {
        pthread_mutex_lock(&m);
        seen = flag;
        pthread_mutex_unlock(&m);
    } while (!seen);
    pthread_join(t, NULL);
    assert(!seen);
    return 0;
}
