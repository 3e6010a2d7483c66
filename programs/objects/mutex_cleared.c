// A mutex is cleared by hand while others may hold it: two threads are inside at once.
// gabion: verdict=bug
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *add(void *arg) {
    pthread_mutex_lock(&m);
    int v = x;
    x = v + 1;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, add, NULL);
    memset(&m, 0, sizeof m);
    add(NULL);
    pthread_join(t, NULL);
    assert(x == 2);
    return 0;
}
