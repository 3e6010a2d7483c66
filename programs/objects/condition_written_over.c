// The initialiser is assigned to a condition variable while a thread waits.
// gabion: verdict=bug kind=lock-misuse message="written over while a thread waits" location=HERE
// gabion: compilers=gcc,clang native=no
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, fresh = PTHREAD_COND_INITIALIZER;
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
    c = fresh; // HERE
    ready = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
