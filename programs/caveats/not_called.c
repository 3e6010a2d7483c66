// A function that nobody models is linked in, and never called.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <math.h>
#include <pthread.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument) {
    pthread_mutex_lock(&lock);
    shared++;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(int argc, char **argv) {
    (void)argv;
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    int exponent = shared;
    if (argc > 5)
        frexp(argc, &exponent);
    assert(exponent == 2);
}
