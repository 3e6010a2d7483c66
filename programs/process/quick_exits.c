// _exit runs no handlers.
// gabion: verdict=verified runs=1
#include <stdlib.h>
#include <unistd.h>

static void fail(void) { abort(); }

int main(void) {
    atexit(fail);
    _exit(0);
}
