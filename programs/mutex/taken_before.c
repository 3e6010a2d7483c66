// A mutex that main took before there was another thread, which then waits for it while main waits for that thread.
// gabion: verdict=bug kind=deadlock locked=LOCK
// gabion: compilers=gcc,clang
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&mutex); // LOCK
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_mutex_unlock(&mutex);
    return 0;
}
