// raise runs the handler before it returns.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <assert.h>
#include <signal.h>

static volatile sig_atomic_t seen;

static void handler(int signal) { seen = signal; }

int main(void) {
    assert(signal(SIGUSR1, handler) == SIG_DFL);
    assert(raise(SIGUSR1) == 0);
    assert(seen == SIGUSR1);
    assert(signal(SIGUSR1, SIG_IGN) == handler);
    assert(raise(SIGUSR1) == 0);
    return 0;
}
