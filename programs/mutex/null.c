// A null pointer is locked, by the other thread.
// gabion: verdict=bug kind=segfault location=HERE
// gabion: compilers=gcc,clang native=no
#include <pthread.h>

static pthread_mutex_t *lock;

static void *work(void *arg) {
    pthread_mutex_lock(lock); // HERE
    pthread_mutex_unlock(lock);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    return 0;
}
