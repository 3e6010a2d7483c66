// A wait with a limit may end before the other thread is ready, and the program knows.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++14
// gabion: compilers=gcc,clang,libc++
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

int main() {
    std::mutex mutex;
    std::condition_variable changed;
    bool ready = false;
    std::thread other([&] {
        std::this_thread::sleep_for(5ms);
        std::lock_guard<std::mutex> lock(mutex);
        ready = true;
        changed.notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(mutex);
        bool in_time = changed.wait_for(lock, 10ms, [&] { return ready; });
        assert(in_time == ready);
    }
    other.join();
    auto until = std::chrono::steady_clock::now() + 1s;
    std::this_thread::sleep_until(until);
    assert(std::chrono::steady_clock::now() >= until);
}
