// A wait with a mutex that the waiter does not hold.
// gabion: verdict=bug kind=lock-misuse location=HERE
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *work(void *arg) {
    pthread_cond_wait(&cond, &mutex); // HERE
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_cond_signal(&cond);
    pthread_join(t, NULL);
    return 0;
}
