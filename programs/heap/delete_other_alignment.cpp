// A block is deleted with another alignment than it was asked for with.
// gabion: verdict=bug kind=bad-free location=HERE allocated=THERE
// gabion: message="a block of 64 bytes from new with alignment 64 is given to delete with alignment 32"
// gabion: args=--cflags "-std=c++17 -fsized-deallocation"
// gabion: compilers=gcc,clang
#include <new>

int main() {
    void *p = ::operator new(64, std::align_val_t(64)); // THERE
    ::operator delete(p, std::size_t(64), std::align_val_t(32)); // HERE
}
