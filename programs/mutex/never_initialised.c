// A mutex in memory that holds something else was never initialised.
// gabion: verdict=bug kind=lock-misuse message="never initialised" location=HERE
// gabion: native=no
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock;

static void *work(void *arg) {
    pthread_mutex_lock(&lock); // HERE
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t other;
    memset(&lock, 0x3c, sizeof lock);
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    return 0;
}
