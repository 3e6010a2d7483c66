// A function that chooses another for the loader runs before anything could refuse what it calls.
// gabion: verdict=error message="eventfd, a synchronisation function that gabion does not model yet, may be called before"
// gabion: compilers=gcc,clang
#include <pthread.h>
#include <sys/eventfd.h>

static int made = -2;

static int one(void) { return 1; }
static int (*choose(void))(void) {
    made = eventfd(0, 0);
    return one;
}
int chosen(void) __attribute__((ifunc("choose")));

static void *work(void *unused) {
    chosen();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
