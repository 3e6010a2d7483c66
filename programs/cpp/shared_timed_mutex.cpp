// Two readers and a writer: each reader comes before the writer or after it, 2 * 2 = 4 runs.
// gabion: verdict=verified races=none
// gabion: args=--races deny
// gabion: runs=4
// gabion: compilers=gcc,clang
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_timed_mutex mutex;
static int first, second;

static void read() {
    std::shared_lock<std::shared_timed_mutex> hold(mutex);
    assert(first == second);
}

int main() {
    std::thread a(read), b(read), c([] {
        std::unique_lock<std::shared_timed_mutex> hold(mutex);
        first++;
        second++;
    });
    a.join();
    b.join();
    c.join();
}
