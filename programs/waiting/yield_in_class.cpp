// The same in C++: a spin lock as a class, with std::this_thread::yield.
// gabion: verdict=complete
// gabion: compilers=gcc,clang
// gabion: args=--preempt sync
#include <atomic>
#include <cassert>
#include <thread>

struct spin_lock {
    std::atomic_flag taken = ATOMIC_FLAG_INIT;
    void lock() {
        while (taken.test_and_set())
            std::this_thread::yield();
    }
    void unlock() { taken.clear(); }
};

static spin_lock lock;
static int x;

static void work() {
    lock.lock();
    x++;
    lock.unlock();
}

int main() {
    std::thread t(work);
    work();
    t.join();
    assert(x == 2);
}
