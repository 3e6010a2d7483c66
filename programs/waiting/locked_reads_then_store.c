// The same with a lock around every access: the one after the loop is no part of it.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;

static int get(void) {
    pthread_mutex_lock(&lock);
    int seen = n;
    pthread_mutex_unlock(&lock);
    return seen;
}

static void *add(void *arg) {
    int seen = 0;
    for (int round = 0; round < 25; round++)
        seen = get();
    pthread_mutex_lock(&lock);
    n = seen + 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(n == 2);
}
