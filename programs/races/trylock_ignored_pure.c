// A counter whether or not the lock could be taken.
// gabion: verdict=verified races=A-A
// gabion: compilers=gcc,clang
// gabion: args=--hb pure
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *arg) {
    int taken = pthread_mutex_trylock(&m) == 0;
    counter++; // @A
    if (taken)
        pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    return 0;
}
