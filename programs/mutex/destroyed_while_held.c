// A mutex is destroyed while another thread may hold it: in one order only.
// gabion: verdict=bug kind=lock-misuse location=HERE locked=LOCK
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int taken;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex); // LOCK
    taken = 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    if (taken)
        pthread_mutex_destroy(&mutex); // HERE
    pthread_join(t, NULL);
    return 0;
}
