// The last owner destroys, exactly once, whoever that is.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++20
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

static std::atomic<int> destroyed;

struct Thing {
    int n = 7;
    ~Thing() { ++destroyed; }
};

int main() {
    auto thing = std::make_shared<Thing>();
    std::thread t([other = thing] { assert(other->n == 7); });
    assert(thing->n == 7);
    thing.reset();
    t.join();
    assert(destroyed == 1);
}
