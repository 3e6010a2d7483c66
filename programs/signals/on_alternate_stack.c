// A handler that is to run on an alternate stack is refused.
// gabion: verdict=error message="a signal handler on an alternate stack"
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static char memory[65536];
static void handler(int number) { (void)number; }

static void *raises(void *unused) {
    stack_t own = {.ss_sp = memory, .ss_size = sizeof memory};
    sigaltstack(&own, NULL);
    raise(SIGUSR1);
    return unused;
}

int main(void) {
    pthread_t a;
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&a, NULL, raises, NULL);
    pthread_join(a, NULL);
    return 0;
}
