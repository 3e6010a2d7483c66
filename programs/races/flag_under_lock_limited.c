// Figure 3(b) of the Quicksand paper: locks order nothing, so this alarm is false.
// gabion: verdict=verified races=A-B
// gabion: compilers=gcc,clang
// gabion: args=--hb limited
#include <pthread.h>
#include <stdbool.h>

static int x;
static bool y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg) {
    x++; // @A
    pthread_mutex_lock(&m);
    y = true;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    bool tmp = y;
    pthread_mutex_unlock(&m);
    if (tmp)
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
