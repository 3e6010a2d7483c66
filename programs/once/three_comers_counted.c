// Three threads come to a once, one of them twice: three orders, one for each that may be first.
// gabion: verdict=verified runs=3
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void nothing(void) {}

static void *comes(void *arg) {
    pthread_once(&once, nothing);
    return arg;
}

static void *twice(void *arg) {
    pthread_t t;
    pthread_create(&t, NULL, comes, NULL);
    pthread_once(&once, nothing);
    pthread_once(&once, nothing);
    pthread_join(t, NULL);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, twice, NULL);
    pthread_once(&once, nothing);
    pthread_join(t, NULL);
    return 0;
}
