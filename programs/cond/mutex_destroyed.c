// A thread waits with a mutex that was destroyed.
// gabion: verdict=bug kind=lock-misuse message="a mutex is used that was destroyed" location=HERE
// gabion: native=no
#include <pthread.h>

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) {
    pthread_mutex_destroy(&lock);
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    pthread_cond_wait(&condition, &lock); // HERE
    return 0;
}
