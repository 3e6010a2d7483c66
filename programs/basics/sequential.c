// No second thread: one run says it all.
// gabion: verdict=verified runs=1
// gabion: compilers=gcc,clang
#include <assert.h>

static int total;

int main(void) {
    for (int i = 1; i <= 10; i++)
        total += i;
    assert(total == 55);
    return 0;
}
