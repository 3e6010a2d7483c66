// More values than gabion can tell apart.
// gabion: verdict=error message=4096
// gabion: compilers=gcc,clang
#include <gabion.h>

int main(void) {
    return gabion_choose(5000) < 0;
}
