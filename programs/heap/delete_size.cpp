// A block is deleted as one of another size.
// gabion: verdict=bug kind=bad-free location=HERE allocated=THERE
// gabion: message="a block of 16 bytes from new is given to delete as one of 24 bytes"
// gabion: args=--cflags "-std=c++17"
// gabion: compilers=gcc,clang
#include <new>
#include <thread>

int main() {
    void *p = ::operator new(16); // THERE
    std::thread t([p] {
        ::operator delete(p, std::size_t(24)); // HERE
    });
    t.join();
}
