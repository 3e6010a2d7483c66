// A function that gabion does not model is called in one interleaving: refused with its place.
// gabion: verdict=error message="not supported: eventfd, called at"
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

static atomic_int late;

static void *work(void *unused) {
    atomic_store(&late, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int result = atomic_load(&late) && eventfd(0, 0) < 0;
    pthread_join(thread, 0);
    return result;
}
