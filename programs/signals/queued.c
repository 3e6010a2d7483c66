// Real-time signals arrive as often as they were sent, which is not modelled while they are blocked.
// gabion: verdict=error message="a real-time signal that is sent again while it is blocked"
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void handler(int number) { (void)number; }

static void *raises(void *unused) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    raise(SIGRTMIN);
    raise(SIGRTMIN);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    return unused;
}

int main(void) {
    pthread_t a;
    signal(SIGRTMIN, handler);
    pthread_create(&a, NULL, raises, NULL);
    pthread_join(a, NULL);
    return 0;
}
