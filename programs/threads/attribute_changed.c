// Attributes are changed while another thread goes by them.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutexattr_t attributes;

static void *change(void *arg) {
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutex_t m;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_create(&t, NULL, change, NULL);
    pthread_mutex_init(&m, &attributes);
    pthread_mutex_lock(&m);
    assert(pthread_mutex_lock(&m) != 0);
    pthread_join(t, NULL);
    return 0;
}
