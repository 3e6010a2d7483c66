// A program with its own `new` and `delete`: default operators that call them do so.
// gabion: verdict=verified
// gabion: args=--cflags "-std=c++17 -fsized-deallocation"
// gabion: compilers=gcc,clang
#include <cassert>
#include <cstdlib>
#include <new>
#include <thread>

static thread_local int taken, given;

void *operator new(std::size_t size) {
    taken++;
    if (void *p = std::malloc(size))
        return p;
    throw std::bad_alloc();
}
void operator delete(void *p) noexcept {
    given++;
    std::free(p);
}

struct Plain {
    int a[5];
};
struct Counted {
    int a = 0;
    ~Counted() { a = 1; }
};
struct alignas(64) Wide {
    int a;
};

static void work() {
    taken = given = 0;
    delete new Plain;
    delete[] new int[3];
    delete[] new Counted[3];
    delete new (std::nothrow) Plain;
    delete new Wide;
    assert(taken == 4 && given == 4);
}

int main() {
    std::thread t(work);
    work();
    t.join();
}
