// A normal mutex, locked twice by its owner: it waits for itself for ever.
// gabion: verdict=bug kind=deadlock runs=1 message=itself locked=LOCK
// gabion: compilers=gcc,clang
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutex_lock(&mutex); // LOCK
    pthread_mutex_lock(&mutex);
    return 0;
}
