// Installs handlers for everything, and blocks all signals.
// gabion: verdict=complete
// gabion: args=--preempt sync
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int x;

static void handler(int signal) { (void)signal; }

static void *work(void *arg) {
    sigset_t all;
    for (int s = 1; s < 65; s++)
        signal(s, handler);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    atomic_fetch_add(&x, 1);
    atomic_fetch_add(&x, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
