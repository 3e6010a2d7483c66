// A condition variable is initialised again while a thread waits: nobody will wake that.
// gabion: verdict=bug kind=lock-misuse message="initialised again while a thread waits" location=HERE
// gabion: native=no
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void *await(void *arg) {
    pthread_mutex_lock(&m);
    while (!ready) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, await, NULL);
    pthread_mutex_lock(&m);
    pthread_cond_init(&c, NULL); // HERE
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
