// An atomic object of sixteen bytes, which clang leaves to libatomic: both additions count, since each is made again if the other came
// between.
// gabion: verdict=verified
// gabion: args=--cflags "-std=c++20 -latomic"
// gabion: compilers=clang,gcc
#include <atomic>
#include <cassert>
#include <thread>

struct Pair {
    long first, second;
};
static std::atomic<Pair> pair;

static void add() {
    Pair old = pair.load();
    while (!pair.compare_exchange_strong(old, {old.first + 1, old.second + 1}))
        ;
}

int main() {
    std::thread other(add);
    add();
    other.join();
    assert(pair.load().first == 2 && pair.load().second == 2);
}
