// The same with a plain flag: nobody else has touched it when the loop begins.
// gabion: verdict=verified
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int flag;

static void *setter(void *arg) {
    pthread_mutex_lock(&m);
    flag = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    int done = 0;
    pthread_create(&t, NULL, setter, NULL);
    while (!done) {
        pthread_mutex_lock(&m);
        done = flag;
        pthread_mutex_unlock(&m);
    }
    pthread_join(t, NULL);
    return 0;
}
