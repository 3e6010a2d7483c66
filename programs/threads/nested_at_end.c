// Nested functions as an initialiser, as a destructor of a thread's storage and as a signal handler.
// gabion: verdict=partial caveat=uninstrumented-function
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static void *work(void *arg) {
    int signals = 0, begun = 0;
    pthread_once_t once = PTHREAD_ONCE_INIT;
    void handle(int number) { signals += number == SIGUSR1; }
    void begin(void) { begun++; }
    signal(SIGUSR1, handle);
    pthread_once(&once, begin);
    pthread_once(&once, begin);
    raise(SIGUSR1);
    signal(SIGUSR1, SIG_DFL);
    assert(signals == 1 && begun == 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    work(0);
    return 0;
}
