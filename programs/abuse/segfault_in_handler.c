// Its own SIGSEGV handler crashes again.
// gabion: verdict=bug kind=segfault
#include <signal.h>

static int *volatile nowhere;

static void handler(int signal) { *nowhere = signal; }

int main(void) {
    signal(SIGSEGV, handler);
    *nowhere = 1;
    return 0;
}
