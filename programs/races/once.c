// Two threads set something up with pthread_once.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <pthread.h>

static int table;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill(void) { table = 1; }

static void *work(void *arg) {
    pthread_once(&once, fill);
    if (table != 1)
        __builtin_trap();
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    return 0;
}
