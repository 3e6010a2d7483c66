// A counter only if the lock could be taken.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
// gabion: args=--hb limited
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *arg) {
    if (pthread_mutex_trylock(&m) == 0) {
        counter++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    return 0;
}
