// Figure 3(a) of the Quicksand paper: a lock that has nothing to do with it orders the two in the first run.
// gabion: verdict=partial races=none
// gabion: compilers=gcc,clang
// gabion: args=--hb pure --max-runs 1
#include <pthread.h>

static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg) {
    x++;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    x++;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
