// A lock is released before the second of two writes.
// gabion: verdict=verified races=A-A
// gabion: compilers=gcc,clang
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int left, right;

static void *work(void *arg) {
    pthread_mutex_lock(&m);
    left++;
    pthread_mutex_unlock(&m);
    right++; // @A
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    return 0;
}
