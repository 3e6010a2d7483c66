// A normal mutex is unlocked by a thread that does not hold it.
// gabion: verdict=bug kind=lock-misuse location=HERE locked=LOCK
// gabion: compilers=gcc,clang
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) {
    pthread_mutex_unlock(&mutex); // HERE
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&mutex); // BEFORE
    pthread_mutex_unlock(&mutex);
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&mutex); // LOCK
    pthread_join(t, NULL);
    pthread_mutex_unlock(&mutex);
    return 0;
}
