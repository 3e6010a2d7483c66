// Its twin: nobody sends it.
// gabion: verdict=bug kind=deadlock native=no
#include <pthread.h>
#include <signal.h>

static sigset_t set;

static void *work(void *arg) {
    int number;
    sigwait(&set, &number);
    return arg;
}

int main(void) {
    pthread_t other;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
    return 0;
}
