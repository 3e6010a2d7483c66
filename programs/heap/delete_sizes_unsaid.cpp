// Code that deletes without sizes.
// gabion: verdict=verified
// gabion: args=--cflags "-std=c++17 -fno-sized-deallocation"
// gabion: compilers=gcc,clang
#include <thread>

struct Plain {
    int a[5];
};
struct alignas(64) Wide {
    int a = 0;
    ~Wide() { a = 1; }
};

static void work() {
    delete new Plain;
    delete new Wide;
    delete[] new Wide[2];
}

int main() {
    std::thread t(work);
    work();
    t.join();
}
