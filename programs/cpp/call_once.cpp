// Three threads call one std::call_once: it runs once, and all see what it did. Who runs it is what differs: 3 runs.
// gabion: verdict=verified races=none
// gabion: args=--races deny
// gabion: runs=3
// gabion: compilers=gcc,clang
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag once;
static int value;

static void work() {
    std::call_once(once, [] { value++; });
    assert(value == 1);
}

int main() {
    std::thread a(work), b(work), c(work);
    a.join();
    b.join();
    c.join();
}
