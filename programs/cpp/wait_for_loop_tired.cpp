// The twin of wait_for_loop: it gives up after three limits.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

int main() {
    std::mutex mutex;
    std::condition_variable changed;
    bool ready = false;
    std::thread other([&] {
        std::lock_guard<std::mutex> lock(mutex);
        ready = true;
        changed.notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(mutex);
        for (int i = 0; i < 3 && !ready; i++)
            changed.wait_for(lock, std::chrono::milliseconds(10));
        assert(ready);
    }
    other.join();
}
