// Fails in the very first run, with one thread.
// gabion: verdict=bug kind=assertion runs=1 location=HERE
// gabion: compilers=gcc,clang
#include <assert.h>

static int total = 1;

int main(void) {
    assert(total == 2); // HERE
    return 0;
}
