// Whoever comes first runs the code: also the third, which comes while another comes twice.
// gabion: verdict=bug kind=assertion compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int by_third, found[3];

static void nothing(void) {}
static void note(void) { by_third = 1; }

static void *comes(void *arg) {
    pthread_once(&once, note);
    found[2] = by_third;
    return arg;
}

static void *twice(void *arg) {
    pthread_t t;
    pthread_create(&t, NULL, comes, NULL);
    pthread_once(&once, nothing);
    pthread_once(&once, nothing);
    pthread_join(t, NULL);
    found[1] = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, twice, NULL);
    pthread_once(&once, nothing);
    pthread_join(t, NULL);
    found[0] = 1;
    assert(!found[2]);
    return 0;
}
