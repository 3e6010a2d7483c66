// sigaction with SA_SIGINFO, in a thread.
// gabion: verdict=complete
// gabion: args=--preempt sync
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int seen;

static void handler(int signal, siginfo_t *info, void *context) {
    if (info && info->si_signo == signal && context)
        atomic_fetch_add(&seen, 1);
}

static void *work(void *arg) {
    raise(SIGUSR2);
    return arg;
}

int main(void) {
    struct sigaction action = {0}, old;
    pthread_t t;
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    assert(sigaction(SIGUSR2, &action, NULL) == 0);
    assert(sigaction(SIGUSR2, NULL, &old) == 0 && old.sa_sigaction == handler);
    pthread_create(&t, NULL, work, NULL);
    raise(SIGUSR2);
    pthread_join(t, NULL);
    assert(seen == 2);
    return 0;
}
