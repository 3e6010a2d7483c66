// The same, and nobody sets the flag in time: the other takes it back.
// gabion: verdict=bug kind=livelock
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done, x;

static void *set(void *arg) {
    x = 1;
    pthread_mutex_lock(&m);
    done = 1;
    done = 0;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, set, NULL);
    for (;;) {
        pthread_mutex_lock(&m);
        if (done) {
            pthread_mutex_unlock(&m);
            break;
        }
        pthread_mutex_unlock(&m);
    }
    assert(x == 1);
    pthread_join(t, NULL);
    return 0;
}
