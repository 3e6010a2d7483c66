// Its own SIGSEGV handler saves the program: it jumps out.
// gabion: verdict=any
// gabion: args=--preempt sync
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back;
static int *volatile nowhere;

static void handler(int signal) {
    (void)signal;
    siglongjmp(back, 1);
}

int main(void) {
    signal(SIGSEGV, handler);
    if (sigsetjmp(back, 1) == 0)
        *nowhere = 1;
    return 0;
}
