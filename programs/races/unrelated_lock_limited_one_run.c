// Figure 3(a) of the Quicksand paper: locks order nothing, so the first run shows the race.
// gabion: verdict=partial races=A-B
// gabion: compilers=gcc,clang
// gabion: args=--hb limited --max-runs 2
#include <pthread.h>

static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg) {
    x++; // @A
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    x++; // @B
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
