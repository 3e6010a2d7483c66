// The compiler's runtime is linked in: it asks for the C library's functions under names of its own.
// gabion: verdict=verified
// gabion: args=--cflags -static-libgcc
// gabion: compilers=gcc,clang
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static int caught;

static void work() {
    try {
        throw 1;
    } catch (int one) {
        std::lock_guard<std::mutex> guard(lock);
        caught += one;
    }
}

int main() {
    std::thread other(work);
    work();
    other.join();
    assert(caught == 2);
}
