// Four threads take one mutex once each: every order of them is a run, 4! = 24.
// gabion: verdict=verified
// gabion: runs=24
// gabion: compilers=gcc,clang,libc++
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int sum;

static void add(int n) {
    std::lock_guard<std::mutex> hold(mutex);
    sum += n;
}

int main() {
    std::thread a(add, 1), b(add, 2), c(add, 3), d(add, 4);
    a.join();
    b.join();
    c.join();
    d.join();
    assert(sum == 10);
}
