// Kills itself with a signal that nobody can catch.
// gabion: verdict=bug|error
// gabion: args=--preempt sync
#include <signal.h>
#include <unistd.h>

int main(void) {
    kill(getpid(), SIGKILL);
    return 0;
}
