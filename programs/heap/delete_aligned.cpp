// A block that was asked for without an alignment is deleted with one.
// gabion: verdict=bug kind=bad-free location=HERE allocated=THERE
// gabion: message="a block of 64 bytes from new[] without alignment is given to delete[] with alignment 32"
// gabion: args=--cflags -std=c++17
// gabion: compilers=gcc,clang
#include <new>

int main() {
    void *p = ::operator new[](64); // THERE
    ::operator delete[](p, std::align_val_t(32)); // HERE
}
