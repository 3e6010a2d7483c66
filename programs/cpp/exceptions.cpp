// Exceptions thrown and caught in two threads, std::atomic, thread_local destructors.
// gabion: verdict=complete
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <atomic>
#include <cassert>
#include <stdexcept>
#include <string>
#include <thread>

static std::atomic<int> caught, destroyed;

struct Local {
    int value = 1;
    ~Local() { destroyed += value; }
};
static thread_local Local local;

static void work() {
    try {
        local.value++;
        throw std::runtime_error("expected");
    } catch (const std::exception &e) {
        assert(std::string(e.what()) == "expected");
        caught++;
    }
}

int main() {
    std::thread t(work);
    work();
    t.join();
    assert(caught == 2 && destroyed == 2);
}
