// A mutex is destroyed while another thread may still want it.
// gabion: verdict=bug kind=lock-misuse message=destroyed
// gabion: compilers=gcc,clang
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    pthread_mutex_destroy(&mutex);
    pthread_join(other, 0);
    return 0;
}
