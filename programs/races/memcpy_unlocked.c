// A copy without the lock under which one of its bytes is written.
// gabion: verdict=verified|complete races=A-B
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char text[8], copy[8];
static volatile size_t length = 8;

static void *work(void *arg) {
    pthread_mutex_lock(&m);
    text[5] = 'x'; // @A
    pthread_mutex_unlock(&m);
    return arg;
}

static void copying(void) {
    memcpy(copy, text, length); // @B
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    copying();
    pthread_join(other, NULL);
    return 0;
}
