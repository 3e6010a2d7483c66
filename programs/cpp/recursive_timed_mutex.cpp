// A recursive mutex with a time limit, taken twice by each of three threads that hold it throughout: their orders, 3! = 6 runs.
// gabion: verdict=verified
// gabion: runs=6
// gabion: compilers=gcc,clang
#include <cassert>
#include <mutex>
#include <thread>

static std::recursive_timed_mutex mutex;
static int sum;

static void add(int n) {
    std::lock_guard<std::recursive_timed_mutex> hold(mutex);
    sum += n;
    if (n > 0)
        add(n - 1);
}

int main() {
    std::thread a(add, 1), b(add, 1), c(add, 1);
    a.join();
    b.join();
    c.join();
    assert(sum == 3);
}
