// A block that was asked for with an alignment is deleted without.
// gabion: verdict=bug kind=bad-free location=HERE allocated=THERE
// gabion: message="a block of 64 bytes from new with alignment 64 is given to delete without alignment"
// gabion: args=--cflags -std=c++17
// gabion: compilers=gcc,clang
#include <new>

int main() {
    void *p = ::operator new(64, std::align_val_t(64)); // THERE
    ::operator delete(p); // HERE
}
