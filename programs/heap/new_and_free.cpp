// Memory from new is given to free.
// gabion: verdict=bug kind=bad-free location=HERE allocated=THERE
// gabion: compilers=gcc,clang
#include <cstdlib>

int main() {
    int *p = new int; // THERE
    free(p); // HERE
    return 0;
}
