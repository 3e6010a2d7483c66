// Three threads call one std::call_once: it runs once, and all see what it did. Every order of the calls is a run, 3! = 6.
// gabion: verdict=verified races=none
// gabion: args=--races deny
// gabion: runs=6
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
