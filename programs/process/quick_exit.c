// quick_exit runs its own handlers only; here one of them is the bug.
// gabion: verdict=bug kind=exit
#include <stdlib.h>
#include <unistd.h>

static void fail(void) { abort(); }
static void leave(void) { _exit(6); }

int main(void) {
    atexit(fail);
    at_quick_exit(leave);
    quick_exit(0);
}
