// Memory from new[] is given to delete.
// gabion: verdict=bug kind=bad-free location=HERE allocated=THERE
// gabion: compilers=gcc,clang
#include <cstdlib>

int main() {
    int *p = new int[2]; // THERE
    delete p; // HERE
    return 0;
}
