// The same with std::lock, as it is before C++17: it calls itself, and gives way.
// gabion: verdict=complete caveat=assumed-wait
// gabion: args=--assume-waits --cflags -std=c++14
// gabion: compilers=gcc,clang
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex a, b, c;
static int n;

int main() {
    std::thread t([] {
        std::lock(a, b, c);
        std::lock_guard<std::mutex> one(a, std::adopt_lock), two(b, std::adopt_lock), three(c, std::adopt_lock);
        n++;
    });
    {
        std::lock(c, b, a);
        std::lock_guard<std::mutex> one(a, std::adopt_lock), two(b, std::adopt_lock), three(c, std::adopt_lock);
        n++;
    }
    t.join();
    assert(n == 2);
}
