// A thread waits for a signal that another sends to it.
// gabion: verdict=verified|complete
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static sigset_t set;
static int sent;

static void *work(void *arg) {
    int number = 0;
    assert(sigwait(&set, &number) == 0);
    assert(number == SIGUSR1 && sent);
    return arg;
}

int main(void) {
    pthread_t other;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&other, 0, work, 0);
    sent = 1;
    pthread_kill(other, SIGUSR1);
    pthread_join(other, 0);
    return 0;
}
