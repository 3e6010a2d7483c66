// Two threads take two mutexes in different orders, with std::scoped_lock, which waits for
// one only while it holds none. That its loop only waits is an assumption.
// gabion: verdict=complete caveat=assumed-wait
// gabion: args=--assume-waits --cflags -std=c++17
// gabion: compilers=gcc,clang
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex a, b;
static int n;

int main() {
    std::thread t([] {
        std::scoped_lock hold(a, b);
        n++;
    });
    {
        std::scoped_lock hold(b, a);
        n++;
    }
    t.join();
    assert(n == 2);
}
