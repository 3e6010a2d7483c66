// The twin loads and stores: an addition may be lost.
// gabion: verdict=bug kind=assertion location=HERE
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
    pair.store({old.first + 1, old.second + 1});
}

int main() {
    std::thread other(add);
    add();
    other.join();
    assert(pair.load().first == 2); // HERE
}
