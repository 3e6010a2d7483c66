// Three threads add to an atomic twice each: every order of six additions that keeps each thread's, 6!/(2! 2! 2!) = 90 runs.
// gabion: verdict=verified
// gabion: runs=90
// gabion: compilers=gcc,clang
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> n;

static void add() {
    n.fetch_add(1);
    n.fetch_add(1);
}

int main() {
    std::thread a(add), b(add), c(add);
    a.join();
    b.join();
    c.join();
    assert(n.load() == 6);
}
