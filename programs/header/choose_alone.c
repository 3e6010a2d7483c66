// gabion: verdict=verified runs=210 compilers=gcc,clang
// Choices before the first thread, and of a program without any: runs begin at the first of them. 3 * 70, more than one choice holds.
#include <assert.h>
#include <gabion.h>
#include <stdlib.h>

int main(void) {
    int *block = malloc(70 * sizeof *block);
    int n = gabion_choose(3), i = gabion_choose(70);
    assert(n >= 0 && n < 3 && i >= 0 && i < 70);
    block[i] = n;
    free(block);
    return gabion_choose(1);
}
