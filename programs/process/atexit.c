// Handlers run in reverse order, after main.
// gabion: verdict=verified runs=1
// gabion: compilers=gcc,clang
#include <assert.h>
#include <stdlib.h>

static int order;

static void first(void) { assert(order++ == 2); }
static void second(void) { assert(order++ == 1); }

int main(void) {
    atexit(first);
    atexit(second);
    assert(order++ == 0);
    return 0;
}
