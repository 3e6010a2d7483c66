// A mutex is destroyed twice.
// gabion: verdict=bug kind=lock-misuse message=destroyed location=HERE
// gabion: compilers=gcc,clang
#include <pthread.h>

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_destroy(&mutex);
    pthread_mutex_destroy(&mutex); // HERE
    return 0;
}
