// As two_readers.c, with std::shared_lock.
// gabion: verdict=complete caveat=whole-copies
#include <cassert>
#include <shared_mutex>
#include <thread>

struct Pair {
    long a, b;
};
static std::shared_mutex lock;
static Pair x, ones = {1, 1};

int main() {
    std::thread t([] {
        std::shared_lock<std::shared_mutex> held(lock);
        x = ones;
    });
    Pair v;
    {
        std::shared_lock<std::shared_mutex> held(lock);
        v = x;
    }
    t.join();
    assert(v.a == v.b);
}
