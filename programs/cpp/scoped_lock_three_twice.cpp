// The twin that lets go of the three between reading and writing.
// gabion: verdict=bug kind=assertion
// gabion: args=--cflags -std=c++17
// gabion: compilers=gcc,clang
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex a, b, c;
static int n;

static void add(std::mutex &x, std::mutex &y, std::mutex &z) {
    int seen;
    {
        std::scoped_lock hold(x, y, z);
        seen = n;
    }
    std::scoped_lock hold(x, y, z);
    n = seen + 1;
}

int main() {
    std::thread t([] { add(a, b, c); });
    add(c, b, a);
    t.join();
    assert(n == 2);
}
