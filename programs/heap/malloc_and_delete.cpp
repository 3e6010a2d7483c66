// Memory from malloc is given to delete.
// gabion: verdict=bug kind=bad-free location=HERE allocated=THERE
// gabion: compilers=gcc,clang
#include <cstdlib>

int main() {
    int *p = static_cast<int *>(malloc(sizeof(int))); // THERE
    delete p; // HERE
    return 0;
}
