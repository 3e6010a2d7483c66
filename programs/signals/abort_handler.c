// SIGABRT with a handler that returns: abort still aborts.
// gabion: verdict=bug kind=abort
#include <signal.h>
#include <stdlib.h>

static void handler(int signal) { (void)signal; }

int main(void) {
    signal(SIGABRT, handler);
    abort();
}
