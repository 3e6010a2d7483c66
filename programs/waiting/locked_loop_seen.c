// Somebody tries that lock three times, taking it in between: every try can find it held. A round that was seen must not be left out.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done;

static int refused(void) {
    if (pthread_mutex_trylock(&m))
        return 1;
    pthread_mutex_unlock(&m);
    return 0;
}

static void *set(void *arg) {
    int times = 0;
    for (int i = 0; i < 3; i++) {
        times += refused();
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    assert(times < 3);
    pthread_mutex_lock(&m);
    done = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    int seen = 0;
    pthread_create(&t, NULL, set, NULL);
    while (!seen) {
        pthread_mutex_lock(&m);
        seen = done;
        pthread_mutex_unlock(&m);
    }
    pthread_join(t, NULL);
    return 0;
}
