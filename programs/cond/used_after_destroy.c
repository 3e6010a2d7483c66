// A condition variable is signalled after it may have been destroyed.
// gabion: verdict=bug kind=lock-misuse message="was destroyed" location=HERE
// gabion: native=no
#include <pthread.h>

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *work(void *arg) {
    pthread_cond_signal(&condition); // HERE
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    pthread_cond_destroy(&condition);
    pthread_join(other, 0);
    return 0;
}
