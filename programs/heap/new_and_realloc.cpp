// Memory from new is given to realloc.
// gabion: verdict=bug kind=bad-free location=HERE allocated=THERE
// gabion: compilers=gcc,clang
#include <cstdlib>

int main() {
    int *p = new int; // THERE
    p = static_cast<int *>(realloc(p, 8)); // HERE
    return 0;
}
