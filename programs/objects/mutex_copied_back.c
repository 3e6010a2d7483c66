// A mutex that was saved while it was held is copied back: whoever comes after that waits for ever.
// gabion: verdict=bug kind=deadlock
// gabion: compilers=gcc,clang
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, saved;

static void *take(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    saved = m;
    pthread_mutex_unlock(&m);
    pthread_create(&t, NULL, take, NULL);
    m = saved;
    pthread_join(t, NULL);
    return 0;
}
