// The same with std::lock and locks that adopt.
// gabion: verdict=complete caveat=assumed-wait
// gabion: args=--assume-waits
// gabion: compilers=gcc,clang
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex a, b;
static int n;

static void both(std::mutex &first, std::mutex &second) {
    std::lock(first, second);
    std::lock_guard<std::mutex> one(first, std::adopt_lock), two(second, std::adopt_lock);
    n++;
}

int main() {
    std::thread t([] { both(a, b); });
    both(b, a);
    t.join();
    assert(n == 2);
}
