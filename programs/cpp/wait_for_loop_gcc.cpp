// As wait_for_loop.cpp, with gcc, which leaves accesses to a shared stack unannounced: to accept the wait is not enough.
// gabion: verdict=partial caveat=assumed-wait
// gabion: args=--assume-waits
// gabion: compilers=gcc
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
        while (!changed.wait_for(lock, std::chrono::milliseconds(10), [&] { return ready; }))
            ;
    }
    other.join();
}
