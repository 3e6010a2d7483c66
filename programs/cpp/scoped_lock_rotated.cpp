// The same in an order that is the other's, rotated.
// gabion: verdict=complete caveat=assumed-wait
// gabion: args=--assume-waits --cflags -std=c++17
// gabion: compilers=gcc,clang
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex a, b, c;
static int n;

int main() {
    std::thread t([] {
        std::scoped_lock hold(a, b, c);
        n++;
    });
    {
        std::scoped_lock hold(b, c, a);
        n++;
    }
    t.join();
    assert(n == 2);
}
