// Stops itself, as ^Z would.
// gabion: verdict=any
// gabion: args=--preempt sync
// gabion: native=no
#include <signal.h>

int main(void) {
    raise(SIGSTOP);
    return 0;
}
