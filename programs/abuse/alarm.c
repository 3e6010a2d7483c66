// Asks for a signal from outside in a second: supported, or refused by name.
// gabion: verdict=complete|verified|error
// gabion: args=--preempt sync
#include <signal.h>
#include <unistd.h>

static void handler(int signal) { (void)signal; }

int main(void) {
    signal(SIGALRM, handler);
    alarm(1);
    return 0;
}
